import { IsArray, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { PageMeta } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { MaxLength, Required } from '../validation/decorators.js';
import { Nested, NestedList } from '../validation/nested.js';

const csvDelimiters = [',', ';', '|', 'tab'] as const;
export type CsvDelimiter = (typeof csvDelimiters)[number];

const contactImportStates = ['uploading', 'queued', 'running', 'done', 'failed'] as const;
export type ContactImportState = (typeof contactImportStates)[number];

/** Further invalid lines are only counted. */
export const maxImportProblems = 100;

export class ImportContactsOptions {
  @IsOptional()
  @IsString()
  @MaxLength(255)
  @ApiField(
    'Id or name of a column. A line whose cell equals that of an existing row updates this row instead of adding one',
    'Email',
  )
  upsert?: string;

  @IsOptional()
  @IsString()
  @IsIn(csvDelimiters)
  @ApiField('Delimiter between the cells of a line. Default: comma', ',')
  delimiter?: CsvDelimiter;
}

/** A part of the file. The first part creates the import, the last starts it; a repeated part is stored once. */
export class ImportContactsPart extends ImportContactsOptions {
  @IsInt()
  @Min(0)
  @ApiField('Offset of the part in the file, in bytes')
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
  @ApiField('Line number in the file, from 1', 17)
  line: number;

  @IsOptional()
  @IsString()
  @ApiField('Column of the invalid cell; absent if the whole line is invalid', exampleId)
  column_id?: string;

  @IsString()
  @ApiField('What is wrong', 'Email must be an email address')
  message: string;
}

export class ContactImport {
  @IsString()
  @ApiField('Id of the import', exampleId)
  id: string;

  @IsString()
  @IsIn(contactImportStates)
  @ApiField(
    'State of the import. `uploading`: the file is incomplete; `done`: every line was imported or rejected; `failed`: the import stopped, see `reason`',
    'running',
  )
  state: ContactImportState;

  @IsArray()
  @IsString({ each: true })
  @ApiField('Columns of the header line, in its order', [exampleId])
  columns: string[];

  @IsOptional()
  @IsString()
  @ApiField('Column of `upsert`', exampleId)
  upsert_column_id?: string;

  @IsInt()
  @ApiField('Size of the file in bytes', 52_428_800)
  bytes: number;

  @IsInt()
  @Min(0)
  @Max(100)
  @ApiField('Progress in percent', 40)
  percent: number;

  @IsInt()
  @ApiField('Number of processed lines without the header', 500_000)
  lines: number;

  @IsInt()
  @ApiField('Number of lines that added a row', 499_000)
  created: number;

  @IsInt()
  @ApiField('Number of lines that updated a row', 990)
  updated: number;

  @IsInt()
  @ApiField('Number of invalid lines; they have no effect', 10)
  rejected: number;

  @NestedList(ContactImportProblem)
  @ApiField(`Errors of the first ${maxImportProblems} invalid lines`)
  problems: ContactImportProblem[];

  @IsOptional()
  @IsString()
  @ApiField(
    'Why the import failed. Rows that were imported before are kept',
    'The quote that opens on line 17 is not closed',
  )
  reason?: string;

  @IsString()
  @ApiField('Time of the request', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('Time of completion or failure', exampleTime)
  ended_datetime?: string;
}

export class ContactImportPage {
  @NestedList(ContactImport)
  @ApiField('Imports, newest first')
  imports: ContactImport[];

  @Nested(PageMeta)
  @ApiField('Request and pagination')
  meta: PageMeta;
}
