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
  /** The name of the column with the phone numbers; by default the first column of that type. */
  phone_column?: string;
  /** The names of the columns to read. */
  names: string[];
  /** Allows a list of more contacts than a message may have, which is refused otherwise. */
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
  /** True if there are more rows than `rows`, where counting stopped. */
  bounded?: boolean;
  columns: SmartlistColumn[];
  /** The requested names that no column has. */
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
  /** The cells of the row by requested name. Empty cells are absent, very long ones are cut. */
  cells: Record<string, string>;
}

export class SmartlistRows {
  /** The rows in the order of their ids; fewer than `limit` if they are large. */
  rows: SmartlistRow[];
  /** Whether there may be more rows. */
  more: boolean;
}
