import type {
  ContactCellsRequest,
  ContactRowAnswer,
  ContactRowId,
  PatchContactRowRequest,
} from '@gangan/contracts';
import { invalidRequest, isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { checkCells } from '../cells/check-cells.js';
import { noSuchRow } from '../contacts.errors.js';
import { type Table, tableAnswer } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { type Row, rowAnswer } from './row.js';
import { RowsRepository } from './rows.repository.js';

@Injectable()
export class RowsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly rows: RowsRepository,
  ) {}

  async create({ columns }: ContactCellsRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.of(requireOrganisationId(context));
    const cells = checkCells(table.columns, columns);
    if (!('written' in cells)) throw invalidRequest(cells);
    const { written, matched } = cells;
    const id = context.operationId;
    const createdAt = timeOfId(id);
    await this.rows.add({ tableId: table.id, id, written, matched, createdAt });
    return answer({ id, cells: written, createdAt, updatedAt: createdAt }, table);
  }

  async patch({ id, columns }: PatchContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.of(requireOrganisationId(context));
    const place = redactUrl(table, id);
    const cells = checkCells(table.columns, columns);
    if ('written' in cells) return answer(await this.rows.patch({ ...cells, ...place }), table);
    // That there is no such row is told before what is wrong with its cells.
    answer(await this.rows.find(place), table);
    throw invalidRequest(cells);
  }

  async find({ id }: ContactRowId, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.of(requireOrganisationId(context));
    return answer(await this.rows.find(redactUrl(table, id)), table);
  }

  async remove({ id }: ContactRowId, context: RequestContext): Promise<ContactRowAnswer> {
    const table = await this.tables.of(requireOrganisationId(context));
    return answer(await this.rows.remove(redactUrl(table, id)), table);
  }
}

function redactUrl(table: Table, id: string): { tableId: string; id: string } {
  if (!isId(id)) throw noSuchRow();
  return { tableId: table.id, id: id.toLowerCase() };
}

function answer(row: Row | undefined, table: Table): ContactRowAnswer {
  if (!row) throw noSuchRow();
  return { row: rowAnswer(row, table.columns), table: tableAnswer(table) };
}
