import { IsObject, IsString } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { Nested } from '../validation/nested.js';
import { Required } from '../validation/required.js';
import { ContactTable } from './contact-table.dto.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

/** Column ids with what their cells shall hold. Which ids there are, and what fits them, only the table tells. */
type ContactCells = Record<string, unknown>;

export class ContactCellsRequest {
  @Required()
  @IsObject()
  @ApiField(
    'Cells by the ids of their columns, which GET /lists/contact tells; each a string that fits the type of its column. "" empties a cell',
    {},
  )
  columns: ContactCells;
}

export class ContactRowId {
  @Required()
  @IsString()
  id: string;
}

export class PatchContactRowRequest extends ContactRowId {
  @Required()
  @IsObject()
  columns: ContactCells;
}

export class ContactRow {
  @IsString()
  @ApiField('Of the row', id)
  id: string;

  @IsObject()
  @ApiField('Its cells by the ids of their columns, as they were written; empty cells are left out', {
    [id]: 'Ada Okafor',
  })
  columns: Record<string, string>;

  @IsString()
  @ApiField('When it was added', time)
  created_datetime: string;

  @IsString()
  @ApiField('When it was last changed', time)
  updated_datetime: string;
}

export class ContactRowAnswer {
  @Nested(ContactRow)
  @ApiField('The row')
  row: ContactRow;

  @Nested(ContactTable)
  @ApiField('The table that it is in')
  table: ContactTable;
}
