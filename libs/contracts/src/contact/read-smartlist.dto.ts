import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  Min,
} from 'class-validator';
import { Required } from '../validation/decorators.js';
import { NestedList } from '../validation/nested.js';

export const maxSmartlistPageSize = 1_000;

/** Longer cells are cut: no message has room for them. */
export const maxSmartlistCellLength = 1_601;

/**
 * The alphabet of the cells of a column. GSM-7: `single` (each character takes one septet) or `double` (some take
 * two). UCS-2: `wide` (one unit) or `astral` (some take two).
 */
export const cellAlphabets = ['single', 'double', 'wide', 'astral'] as const;
export type CellAlphabet = (typeof cellAlphabets)[number];

export class OpenSmartlistRequest {
  @Required()
  @IsString()
  smartlist_id: string;

  /** The name of the column with the phone numbers. Default: the first column of that type. */
  @IsOptional()
  @IsString()
  phone_column?: string;

  /** The names of the columns to read. */
  @IsArray()
  @IsString({ each: true })
  @ArrayMaxSize(1_000)
  names: string[];
}

export class SmartlistColumn {
  @IsString()
  name: string;

  /** The length of the longest cell, in characters. */
  @IsInt()
  longest: number;

  @IsIn(cellAlphabets)
  alphabet: CellAlphabet;

  /** The maximum number of URLs in one cell. */
  @IsInt()
  links: number;
}

export class OpenedSmartlist {
  /** An opaque token for `readSmartlist`: the filters, the columns and the time. */
  @IsString()
  list: string;

  @IsInt()
  rows: number;

  @NestedList(SmartlistColumn)
  columns: SmartlistColumn[];

  /** Requested names without a column. */
  @IsArray()
  @IsString({ each: true })
  unknown: string[];
}

export class ReadSmartlistRequest {
  @Required()
  @IsString()
  list: string;

  @IsOptional()
  @IsUUID()
  after?: string;

  @IsInt()
  @Min(1)
  @Max(maxSmartlistPageSize)
  limit: number;
}

export class SmartlistRow {
  @IsString()
  id: string;

  @IsOptional()
  @IsString()
  phone?: string;

  /** By requested name; empty cells are absent, very long ones are cut. */
  cells: Record<string, string>;
}

export class SmartlistRows {
  /** In the order of their ids; fewer than `limit` if they are large. */
  @NestedList(SmartlistRow)
  rows: SmartlistRow[];

  /** Whether there may be more rows. */
  @IsBoolean()
  more: boolean;
}
