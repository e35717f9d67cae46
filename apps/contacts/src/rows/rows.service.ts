import type {
  ContactCellsRequest,
  ContactRowAnswer,
  PatchContactRowRequest,
  RecordId,
} from '@gangan/contracts';
import { invalidRequest, isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { checkCells } from '../cells/check-cell.js';
import { noSuchRow } from '../contacts.errors.js';
import { formatTable, type Table } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { formatRow, type Row, type RowKey } from './row.js';
import { RowsRepository } from './rows.repository.js';

@Injectable()
export class RowsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly rows: RowsRepository,
  ) {}

  async create({ columns }: ContactCellsRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const cells = checkCells(table.columns, columns);
    if (!('written' in cells)) throw invalidRequest(cells);
    const { written, matched } = cells;
    const id = context.operationId;
    const createdAt = timeOfId(id);
    await this.rows.add({ tableId: table.id, id, written, matched, createdAt });
    return format({ id, cells: written, createdAt, updatedAt: createdAt }, table);
  }

  async patch({ id, columns }: PatchContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const key = parseKey(table, id);
    const cells = checkCells(table.columns, columns);
    if ('written' in cells) return format(await this.rows.patch({ ...cells, ...key }), table);
    // A missing row is reported before invalid cells.
    format(await this.rows.find(key), table);
    throw invalidRequest(cells);
  }

  async find({ id }: RecordId, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    return format(await this.rows.find(parseKey(table, id)), table);
  }

  async remove({ id }: RecordId, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    return format(await this.rows.remove(parseKey(table, id)), table);
  }
}

function parseKey(table: Table, id: string): RowKey {
  if (!isId(id)) throw noSuchRow();
  return { tableId: table.id, id: id.toLowerCase() };
}

function format(row: Row | undefined, table: Table): ContactRowAnswer {
  if (!row) throw noSuchRow();
  return { row: formatRow(row, table.columns), table: formatTable(table) };
}
