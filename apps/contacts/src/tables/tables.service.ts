import {
  type AddContactColumnRequest,
  type AddedContactColumn,
  type ChangeContactColumnRequest,
  type ContactTable,
  type RecordId,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { noSuchColumn } from '../contacts.errors.js';
import { checkOptions, type Column, formatColumn, formatTable, type Table } from './table.js';
import { TablesRepository } from './tables.repository.js';

@Injectable()
export class TablesService {
  constructor(private readonly tables: TablesRepository) {}

  async read(context: RequestContext): Promise<ContactTable> {
    return formatTable(await this.tables.findOrCreate(requireOrganisationId(context)));
  }

  async addColumn(request: AddContactColumnRequest, context: RequestContext): Promise<AddedContactColumn> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const { type } = request;
    const options = request.options?.map((option) => option.trim()) ?? [];
    checkOptions(type, options);
    const column = { id: context.operationId, name: request.name.trim(), type, options };
    await this.tables.addColumn(table.id, column);
    return Object.assign(await this.read(context), { column: formatColumn(column) });
  }

  async changeColumn(request: ChangeContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const column = findColumn(table, request.id);
    const options = request.options?.map((option) => option.trim());
    if (options) checkOptions(column.type, options);
    await this.tables.changeColumn(table.id, column.id, request.name?.trim(), options);
    return this.read(context);
  }

  async removeColumn({ id }: RecordId, context: RequestContext): Promise<ContactTable> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    await this.tables.removeColumn(table.id, findColumn(table, id).id);
    return this.read(context);
  }
}

function findColumn({ columns }: Table, id: string): Column {
  const column = isId(id) ? columns.find((each) => each.id === id.toLowerCase()) : undefined;
  if (!column) throw noSuchColumn();
  return column;
}
