import { IsArray, IsIn, IsOptional } from 'class-validator';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { ObjectField, OptionalEnumField, TextField, TextMapField } from '../schema/fields.js';
import { Required } from '../validation/fields/decorators.js';
import { ContactTable } from './contact-table.dto.js';

/** The worker checks the cells against the columns of the table. */
export class ContactCellsRequest {
  @Required()
  @TextMapField(
    'Cells by column id (see `GET /lists/contact`), or by column name with `?by=name`: strings that match the type of the column. "" empties a cell',
    {},
  )
  columns: Record<string, unknown>;
}

const cellKeys = ['id', 'name'] as const;

/** How the cells of a row are named: by the ids or by the names of their columns. */
export type CellKey = (typeof cellKeys)[number];

export class ContactRowQuery {
  @OptionalEnumField(
    cellKeys,
    'What cells are named by, in the request and in the response: the `id` (default) or the `name` of their column',
    'name',
  )
  by?: CellKey;
}

export class CreateContactRowRequest extends ContactCellsRequest {
  by?: CellKey;
}

export class PatchContactRowRequest extends CreateContactRowRequest {
  id: string;
}

export class FindContactRowRequest {
  id: string;
  by?: CellKey;
}

export class ContactRow {
  @TextField('Id of the row', exampleId)
  id: string;

  @TextMapField(
    'Cells by column id, or by column name with `?by=name`, as they were written; empty cells are left out',
    {
      [exampleId]: 'Ada Okafor',
    },
  )
  columns: Record<string, string>;

  @IsOptional()
  @IsArray()
  @IsIn(channels, { each: true })
  @ApiField(
    'Channels on which a phone number of the row has opted out of promotional messages; absent if there are none',
    ['sms'],
  )
  opted_out?: Channel[];

  @TextField('Time of creation', exampleTime)
  created_datetime: string;

  @TextField('Time of the last change', exampleTime)
  updated_datetime: string;
}

export class ContactRowAnswer {
  @ObjectField(ContactRow, 'The row')
  row: ContactRow;

  @ObjectField(ContactTable, 'Table of the row')
  table: ContactTable;
}
