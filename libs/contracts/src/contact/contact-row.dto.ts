import { IsArray, IsIn, IsObject, IsOptional } from 'class-validator';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { ObjectField, TextField } from '../schema/fields.js';
import { Required } from '../validation/fields/decorators.js';
import { ContactTable } from './contact-table.dto.js';

/** The worker checks the cells against the columns of the table. */
export class ContactCellsRequest {
  @Required()
  @IsObject()
  @ApiField(
    'Cells by column id (see `GET /lists/contact`): strings that match the type of the column. "" empties a cell',
    {},
  )
  columns: Record<string, unknown>;
}

export class PatchContactRowRequest extends ContactCellsRequest {
  id: string;
}

export class ContactRow {
  @TextField('Id of the row', exampleId)
  id: string;

  @IsObject()
  @ApiField('Cells by column id, as they were written; empty cells are left out', {
    [exampleId]: 'Ada Okafor',
  })
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
