import { IsArray, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { PageMeta } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { MaxLength } from '../validation/max-length.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';

/** What may stand between the cells of a line, as it is asked for. */
const csvDelimiters = [',', ';', '|', 'tab'] as const;
export type CsvDelimiter = (typeof csvDelimiters)[number];

const contactImportStates = ['uploading', 'queued', 'running', 'done', 'failed'] as const;
export type ContactImportState = (typeof contactImportStates)[number];

/** So many bad lines are told of; the others are only counted. */
export const maxImportProblems = 100;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class ImportContactsOptions {
  @IsOptional()
  @IsString()
  @MaxLength(255)
  @ApiField(
    'The id or the name of a column: a line that agrees with a row in this column changes that row instead of adding one',
    'Email',
  )
  upsert?: string;

  @IsOptional()
  @IsString()
  @IsIn(csvDelimiters)
  @ApiField('What stands between the cells of a line; a comma unless it says otherwise', ',')
  delimiter?: CsvDelimiter;
}

/** A piece of the file. The first makes the import, the last lets it begin; one that comes twice is kept once. */
export class ImportContactsPart extends ImportContactsOptions {
  @IsInt()
  @Min(0)
  @ApiField('Where in the file it begins, in bytes')
  begins: number;

  @IsString()
  text: string;

  @IsBoolean()
  last: boolean;
}

export class ContactImportId {
  @Required()
  @IsString()
  id: string;
}

export class ContactImportProblem {
  @IsInt()
  @ApiField('The number of the line in the file, as an editor counts', 17)
  line: number;

  @IsOptional()
  @IsString()
  @ApiField('The column whose cell is the problem, if it is one cell', id)
  column_id?: string;

  @IsString()
  @ApiField('What is wrong with it', 'Email must be an email address')
  message: string;
}

export class ContactImport {
  @IsString()
  @ApiField('Of the import', id)
  id: string;

  @IsString()
  @IsIn(contactImportStates)
  @ApiField(
    'How far it is. `uploading`: the file has not arrived as a whole; `done`: every line was taken or rejected; `failed`: it stopped, and `reason` says why',
    'running',
  )
  state: ContactImportState;

  @IsArray()
  @IsString({ each: true })
  @ApiField('The columns that the first line names, in its order', [id])
  columns: string[];

  @IsOptional()
  @IsString()
  @ApiField('The column by which rows are recognised, if `upsert` named one', id)
  upsert_column_id?: string;

  @IsInt()
  @ApiField('How large the file is', 52_428_800)
  bytes: number;

  @IsInt()
  @Min(0)
  @Max(100)
  @ApiField('How much of the file has been carried out', 40)
  percent: number;

  @IsInt()
  @ApiField('How many lines that was, the first line not counted', 500_000)
  lines: number;

  @IsInt()
  @ApiField('How many of them added a row', 499_000)
  created: number;

  @IsInt()
  @ApiField('How many of them changed a row', 990)
  updated: number;

  @IsInt()
  @ApiField('How many of them were bad, and did nothing', 10)
  rejected: number;

  @NestedList(ContactImportProblem)
  @ApiField(`What is wrong with the first ${maxImportProblems} of the bad lines`)
  problems: ContactImportProblem[];

  @IsOptional()
  @IsString()
  @ApiField(
    'Why it failed. What was carried out before stays',
    'The quote that opens on line 17 is not closed',
  )
  reason?: string;

  @IsString()
  @ApiField('When it was asked for', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When it was done, or failed', time)
  ended_datetime?: string;
}

export class ContactImportPage {
  @NestedList(ContactImport)
  @ApiField('The newest first')
  imports: ContactImport[];

  @Nested(PageMeta)
  @ApiField('About this answer')
  meta: PageMeta;
}
