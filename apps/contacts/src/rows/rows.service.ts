import type {
  CellKey,
  ContactRowAnswer,
  CreateContactRowRequest,
  FindContactRowRequest,
  PatchContactRowRequest,
} from '@gangan/contracts';
import {
  invalidRequest,
  isId,
  outcomeUnknown,
  requireOrganisationId,
  type RequestContext,
  timeOfId,
} from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { checkCells } from '../cells/check-cell.js';
import { noSuchRow } from '../contacts.errors.js';
import { formatTable, type Table } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { OptOutsRepository } from './opt-outs.repository.js';
import { formatRow, type OptOuts, type Row, type RowKey } from './row.js';
import { RowsRepository } from './rows.repository.js';

@Injectable()
export class RowsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly rows: RowsRepository,
    private readonly optOuts: OptOutsRepository,
  ) {}

  async create({ columns, by }: CreateContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const cells = checkCells(table.columns, columns, by);
    if (!('written' in cells)) throw invalidRequest(cells);
    const { written, matched } = cells;
    const id = context.operationId;
    const createdAt = timeOfId(id);
    await this.rows.add({ tableId: table.id, id, written, matched, createdAt });
    const row = { id, cells: written, createdAt, updatedAt: createdAt };
    return this.formatWritten(row, table, context, by);
  }

  async patch(
    { id, columns, by }: PatchContactRowRequest,
    context: RequestContext,
  ): Promise<ContactRowAnswer> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const key = parseKey(table, id);
    const cells = checkCells(table.columns, columns, by);
    if ('written' in cells)
      return this.formatWritten(required(await this.rows.patch({ ...cells, ...key })), table, context, by);
    // A missing row is reported before invalid cells.
    required(await this.rows.find(key));
    throw invalidRequest(cells);
  }

  async find({ id, by }: FindContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const organisationId = requireOrganisationId(context);
    const table = await this.tables.findOrCreate(organisationId);
    const row = required(await this.rows.find(parseKey(table, id)));
    return format(row, table, await this.optOuts.find(organisationId, table, [row]), by);
  }

  async remove({ id, by }: FindContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const organisationId = requireOrganisationId(context);
    const table = await this.tables.findOrCreate(organisationId);
    const key = parseKey(table, id);
    const optOuts = await this.optOuts.find(organisationId, table, [key]);
    return format(required(await this.rows.remove(key)), table, optOuts, by);
  }

  private async formatWritten(
    row: Row,
    table: Table,
    context: RequestContext,
    by?: CellKey,
  ): Promise<ContactRowAnswer> {
    const optOuts = await this.optOuts
      .find(requireOrganisationId(context), table, [row])
      .catch((error: unknown) => {
        throw outcomeUnknown(context.operationId, error);
      });
    return format(row, table, optOuts, by);
  }
}

function parseKey(table: Table, id: string): RowKey {
  if (!isId(id)) throw noSuchRow();
  return { tableId: table.id, id: id.toLowerCase() };
}

function required(row: Row | undefined): Row {
  if (!row) throw noSuchRow();
  return row;
}

const format = (row: Row, table: Table, optOuts: OptOuts, by?: CellKey): ContactRowAnswer => ({
  row: formatRow(row, table.columns, optOuts, by),
  table: formatTable(table),
});
