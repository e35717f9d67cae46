/** Longer cells are cut: no message has room for them. */
export const maxSmartlistCellLength = 1_601;

/**
 * The alphabet of the cells of a column. GSM-7: `single` (each character takes one septet) or `double` (some take
 * two). UCS-2: `wide` (one unit) or `astral` (some take two).
 */
export const cellAlphabets = ['single', 'double', 'wide', 'astral'] as const;
export type CellAlphabet = (typeof cellAlphabets)[number];

export class OpenSmartlistRequest {
  smartlist_id: string;
  /** The name of the column with the phone numbers. Default: the first column of that type. */
  phone_column?: string;
  /** The names of the columns to read. */
  names: string[];
  /** Without it, a list of more contacts than a message may have is refused. */
  any_size?: boolean;
}

export class SmartlistColumn {
  name: string;
  /** The length of the longest cell, in characters. */
  longest: number;
  alphabet: CellAlphabet;
  /** The maximum number of URLs in one cell. */
  links: number;
}

export class OpenedSmartlist {
  /** An opaque token for `readSmartlist`: the filters, the columns and the time. */
  list: string;
  rows: number;
  /** There are more rows than `rows`; counting stopped there. */
  bounded?: boolean;
  columns: SmartlistColumn[];
  /** Requested names without a column. */
  unknown: string[];
}

export class ReadSmartlistRequest {
  list: string;
  after?: string;
  limit: number;
}

export class SmartlistRow {
  id: string;
  phone?: string;
  /** By requested name; empty cells are absent, very long ones are cut. */
  cells: Record<string, string>;
}

export class SmartlistRows {
  /** In the order of their ids; fewer than `limit` if they are large. */
  rows: SmartlistRow[];
  /** Whether there may be more rows. */
  more: boolean;
}
