import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { PageMeta } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';

const contactExportStates = ['queued', 'running', 'done', 'failed'] as const;
export type ContactExportState = (typeof contactExportStates)[number];

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class ContactExportId {
  @Required()
  @IsString()
  id: string;
}

export class ContactExport {
  @IsString()
  @ApiField('Of the export', id)
  id: string;

  @IsString()
  @IsIn(contactExportStates)
  @ApiField(
    'How far it is. `done`: its file can be fetched; `failed`: it stopped, and `reason` says why',
    'done',
  )
  state: ContactExportState;

  @IsInt()
  @ApiField('How many rows have been written into the file', 1_000)
  rows: number;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100)
  @ApiField(
    'How much of it that is; left out while nobody knows, as with filters that fit very many rows',
    100,
  )
  percent?: number;

  @IsInt()
  @ApiField('How large the file is so far', 65_536)
  bytes: number;

  @IsOptional()
  @IsString()
  @ApiField('Why it failed', 'An internal error occurred repeatedly')
  reason?: string;

  @IsString()
  @ApiField('When it was asked for: its file holds the rows that were there then', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When it was done, or failed', time)
  ended_datetime?: string;
}

export class ContactExportPage {
  @NestedList(ContactExport)
  @ApiField('The newest first')
  exports: ContactExport[];

  @Nested(PageMeta)
  @ApiField('About this answer')
  meta: PageMeta;
}

export class ContactExportPartId extends ContactExportId {
  @IsInt()
  @Min(0)
  number: number;
}

/** A piece of the file: whole lines. */
export class ContactExportPart {
  @IsString()
  text: string;

  @ApiField('How many pieces there are')
  @IsInt()
  parts: number;

  @ApiField('How large they are together')
  @IsInt()
  bytes: number;
}
