import { IsObject } from 'class-validator';
import { RecordId } from '../record-id.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { TextField } from '../schema/fields.js';
import { Required } from '../validation/decorators.js';
import { Nested } from '../validation/nested.js';
import { ContactTable } from './contact-table.dto.js';

/** Cells by column id. The worker checks them against the columns of the table. */
type ContactCells = Record<string, unknown>;

export class ContactCellsRequest {
  @Required()
  @IsObject()
  @ApiField(
    'Cells by column id (see `GET /lists/contact`): strings that match the type of the column. "" empties a cell',
    {},
  )
  columns: ContactCells;
}

export class PatchContactRowRequest extends RecordId {
  @Required()
  @IsObject()
  columns: ContactCells;
}

export class ContactRow {
  @TextField('Id of the row', exampleId)
  id: string;

  @IsObject()
  @ApiField('Cells by column id, as they were written; empty cells are left out', {
    [exampleId]: 'Ada Okafor',
  })
  columns: Record<string, string>;

  @TextField('Time of creation', exampleTime)
  created_datetime: string;

  @TextField('Time of the last change', exampleTime)
  updated_datetime: string;
}

export class ContactRowAnswer {
  @Nested(ContactRow)
  @ApiField('The row')
  row: ContactRow;

  @Nested(ContactTable)
  @ApiField('Table of the row')
  table: ContactTable;
}
