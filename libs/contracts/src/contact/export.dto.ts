import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { PageMeta } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
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
  @IsString()
  @ApiField('Id of the export', exampleId)
  id: string;

  @IsString()
  @IsIn(contactExportStates)
  @ApiField(
    'State of the export. `done`: the file is ready; `failed`: the export stopped, see `reason`',
    'done',
  )
  state: ContactExportState;

  @IsInt()
  @ApiField('Number of rows written to the file', 1_000)
  rows: number;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100)
  @ApiField(
    'Progress in percent; absent while the total is unknown, as with filters that match very many rows',
    100,
  )
  percent?: number;

  @IsInt()
  @ApiField('Size of the file so far, in bytes', 65_536)
  bytes: number;

  @IsOptional()
  @IsString()
  @ApiField('Why the export failed', 'An internal error occurred repeatedly')
  reason?: string;

  @IsString()
  @ApiField('Time of the request; the file contains the rows of this moment', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('Time of completion or failure', exampleTime)
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

  @ApiField('Number of parts')
  @IsInt()
  parts: number;

  @ApiField('Size of the file in bytes')
  @IsInt()
  bytes: number;
}
