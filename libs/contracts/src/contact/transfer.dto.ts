import { IsIn, Max, Min } from 'class-validator';
import { PageMeta, PageQuery } from '../pagination.dto.js';
import { RecordId } from '../record-id.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  IntegerField,
  ListField,
  ObjectField,
  OptionalIntegerField,
  OptionalTextField,
  TextField,
  TextListField,
} from '../schema/fields.js';
import { MaxLength } from '../validation/fields/decorators.js';

export const defaultTransferPageSize = 20;

export class ListContactTransfersRequest extends PageQuery {}

ApiField(`Maximum number of items on the page. Default: ${defaultTransferPageSize}`, 10)(
  ListContactTransfersRequest.prototype,
  'limit',
);

const csvDelimiters = [',', ';', '|', 'tab'] as const;
export type CsvDelimiter = (typeof csvDelimiters)[number];

const contactDateFormats = ['yyyy-mm-dd', 'dd/mm/yyyy'] as const;
export type ContactDateFormat = (typeof contactDateFormats)[number];

const contactImportStates = ['uploading', 'queued', 'running', 'done', 'failed'] as const;
export type ContactImportState = (typeof contactImportStates)[number];

/** A status shows this many invalid lines. Further ones are counted, and are in the file of rejected lines. */
export const maxImportProblems = 100;

export class ImportContactsOptions {
  @OptionalTextField(
    'Id or name of a column. A line whose cell equals that of an existing row updates this row instead of adding one',
    'Email',
  )
  @MaxLength(255)
  upsert?: string;

  @OptionalTextField('Delimiter between the cells of a line. Default: comma', ',')
  @IsIn(csvDelimiters)
  delimiter?: CsvDelimiter;

  @OptionalTextField(
    'How the file writes dates. `dd/mm/yyyy`: cells of DATE columns must be days such as 15/11/2026, and are stored as 2026-11-15. Default: `yyyy-mm-dd`, also with a time',
    'dd/mm/yyyy',
  )
  @IsIn(contactDateFormats)
  date_format?: ContactDateFormat;
}

/** A part of the file. The first part creates the import, the last starts it; a repeated part is stored once. */
export class ImportContactsPart extends ImportContactsOptions {
  /** The offset of the part in the file, in bytes. */
  begins: number;
  text: string;
  last: boolean;
  /** The checksum of the whole file, in base64; sent with the last part. */
  sha256?: string;
}

export class ContactImportProblem {
  @IntegerField('Line number in the file, from 1', 17)
  line: number;

  @OptionalTextField('Column of the invalid cell; absent if the whole line is invalid', exampleId)
  column_id?: string;

  @TextField('What is wrong', 'Email must be an email address')
  message: string;
}

export class ContactImport {
  @TextField('Id of the import', exampleId)
  id: string;

  @EnumField(
    contactImportStates,
    'State of the import. `uploading`: the file is incomplete; `done`: every line was imported or rejected; `failed`: the import stopped, see `reason`',
    'running',
  )
  state: ContactImportState;

  @TextListField('Columns of the header line, in its order', [exampleId])
  columns: string[];

  @OptionalTextField('Column of `upsert`', exampleId)
  upsert_column_id?: string;

  @IntegerField('Size of the file in bytes', 52_428_800)
  bytes: number;

  @IntegerField('Progress in percent', 40)
  @Min(0)
  @Max(100)
  percent: number;

  @IntegerField('Number of processed lines without the header', 500_000)
  lines: number;

  @IntegerField('Number of lines that added a row', 499_000)
  created: number;

  @IntegerField('Number of lines that updated a row', 990)
  updated: number;

  @IntegerField('Number of invalid lines; they have no effect', 10)
  rejected: number;

  @ListField(ContactImportProblem, `Errors of the first ${maxImportProblems} invalid lines`)
  problems: ContactImportProblem[];

  @OptionalTextField(
    'Path of a CSV file with all invalid lines, once the import has ended; absent if there are none',
    `/lists/contact/imports/${exampleId}/rejected`,
  )
  rejected_file?: string;

  @OptionalTextField(
    'Why the import failed. Rows that were imported before are kept',
    'The quote that opens on line 17 is not closed',
  )
  reason?: string;

  @TextField('Time of the request', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of completion or failure', exampleTime)
  ended_datetime?: string;
}

export class ContactImportPage {
  @ListField(ContactImport, 'Imports, newest first')
  imports: ContactImport[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}

const contactExportStates = ['queued', 'running', 'done', 'failed'] as const;
export type ContactExportState = (typeof contactExportStates)[number];

export class ContactExport {
  @TextField('Id of the export', exampleId)
  id: string;

  @EnumField(
    contactExportStates,
    'State of the export. `done`: the file is ready; `failed`: the export stopped, see `reason`',
    'done',
  )
  state: ContactExportState;

  @IntegerField('Number of rows written to the file', 1_000)
  rows: number;

  @OptionalIntegerField(
    'Progress in percent; absent while the total is unknown, as with filters that match very many rows',
    100,
  )
  @Min(0)
  @Max(100)
  percent?: number;

  @IntegerField('Size of the file so far, in bytes', 65_536)
  bytes: number;

  @OptionalTextField('Why the export failed', 'An internal error occurred repeatedly')
  reason?: string;

  @TextField('Time of the request; the file contains the rows of this moment', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of completion or failure', exampleTime)
  ended_datetime?: string;
}

export class ContactExportPage {
  @ListField(ContactExport, 'Exports, newest first')
  exports: ContactExport[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}

const flags = ['true', 'false'] as const;

export class CsvFileQuery {
  @OptionalTextField(
    'Whether the file starts with a byte order mark, which spreadsheets need to recognise UTF-8. Default: false',
    'true',
  )
  @IsIn(flags)
  bom?: (typeof flags)[number];
}

export class FilePartId extends RecordId {
  number: number;
}

/** A part of a file of an export or a batch: whole lines. */
export class FilePart {
  text: string;
  /** The number of parts of the file. */
  parts: number;
  /** The size of the file. */
  bytes: number;
}
