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
import { NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';

/** Rows at a time. */
export const maxSmartlistPageSize = 1_000;

/** Nobody reads a longer cell whole: no text has so much room. */
export const maxSmartlistCellLength = 1_601;

/**
 * What the cells of a column are made of: characters that take one place of an SMS in GSM-7, or two as well; others
 * (UCS-2) that take one place there, or two as well.
 */
export const cellAlphabets = ['single', 'double', 'wide', 'astral'] as const;
export type CellAlphabet = (typeof cellAlphabets)[number];

export class OpenSmartlistRequest {
  @Required()
  @IsString()
  smartlist_id: string;

  /** The name of the column that holds the numbers; the first of that type without one. */
  @IsOptional()
  @IsString()
  phone_column?: string;

  /** The names of columns that will be read. */
  @IsArray()
  @IsString({ each: true })
  @ArrayMaxSize(1_000)
  names: string[];
}

export class SmartlistColumn {
  @IsString()
  name: string;

  /** Of its cells, in characters. */
  @IsInt()
  longest: number;

  @IsIn(cellAlphabets)
  alphabet: CellAlphabet;

  /** How many web addresses there are at most in one cell. */
  @IsInt()
  links: number;
}

export class OpenedSmartlist {
  /** What `readSmartlist` goes by: the filters, the columns and the moment. Others need not understand it. */
  @IsString()
  list: string;

  @IsInt()
  rows: number;

  @NestedList(SmartlistColumn)
  columns: SmartlistColumn[];

  /** Names that are those of no column. */
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

  /** By the names that were asked for; what is empty is absent, what is very long is cut. */
  cells: Record<string, string>;
}

export class SmartlistRows {
  /** In the order of their ids; fewer than wished for where they are large. */
  @NestedList(SmartlistRow)
  rows: SmartlistRow[];

  /** Whether there may be more. */
  @IsBoolean()
  more: boolean;
}
