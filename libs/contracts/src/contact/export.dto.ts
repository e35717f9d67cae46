import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { PageMeta } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { IntegerField, OptionalIntegerField, OptionalTextField, TextField } from '../schema/fields.js';
import { Required } from '../validation/decorators.js';
import { Nested, NestedList } from '../validation/nested.js';

const contactExportStates = ['queued', 'running', 'done', 'failed'] as const;
export type ContactExportState = (typeof contactExportStates)[number];

export class ContactExportId {
  @Required()
  @IsString()
  id: string;
}

export class ContactExport {
  @TextField('Id of the export', exampleId)
  id: string;

  @TextField(
    'State of the export. `done`: the file is ready; `failed`: the export stopped, see `reason`',
    'done',
  )
  @IsIn(contactExportStates)
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
  @NestedList(ContactExport)
  @ApiField('Exports, newest first')
  exports: ContactExport[];

  @Nested(PageMeta)
  @ApiField('Request and pagination')
  meta: PageMeta;
}

export class ContactExportPartId extends ContactExportId {
  @IsInt()
  @Min(0)
  number: number;
}

/** A part of the file: whole lines. */
export class ContactExportPart {
  @IsString()
  text: string;

  @IntegerField('Number of parts')
  parts: number;

  @IntegerField('Size of the file in bytes')
  bytes: number;
}
