import {
  type AddContactColumnRequest,
  type ChangeContactColumnRequest,
  type ContactColumnId,
  type ContactTable,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { noSuchColumn } from '../contacts.errors.js';
import type { Column } from './column.js';
import { optionsFault } from './column-options.js';
import { ColumnsRepository } from './columns.repository.js';
import { type Table, tableAnswer } from './table.js';
import { TablesRepository } from './tables.repository.js';

@Injectable()
export class TablesService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly columns: ColumnsRepository,
  ) {}

  async read(context: RequestContext): Promise<ContactTable> {
    return tableAnswer(await this.tables.of(requireOrganisationId(context)));
  }

  async addColumn(request: AddContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    const table = await this.tables.of(requireOrganisationId(context));
    const options = request.options?.map((option) => option.trim());
    const fault = optionsFault(request.type, options);
    if (fault) throw fault;
    const { type } = request;
    await this.columns.add(table.id, {
      id: context.operationId,
      name: request.name.trim(),
      type,
      options: options ?? [],
    });
    return this.read(context);
  }

  async changeColumn(request: ChangeContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    const table = await this.tables.of(requireOrganisationId(context));
    const column = columnOf(table, request.id);
    const options = request.options?.map((option) => option.trim());
    const fault = options && optionsFault(column.type, options);
    if (fault) throw fault;
    const name = request.name?.trim();
    await this.columns.change(table.id, column.id, {
      ...(name !== undefined && { name }),
      ...(options && { options }),
    });
    return this.read(context);
  }

  async removeColumn({ id }: ContactColumnId, context: RequestContext): Promise<ContactTable> {
    const table = await this.tables.of(requireOrganisationId(context));
    await this.columns.remove(table.id, columnOf(table, id).id);
    return this.read(context);
  }
}

function columnOf({ columns }: Table, id: string): Column {
  const column = isId(id) ? columns.find((each) => each.id === id.toLowerCase()) : undefined;
  if (!column) throw noSuchColumn();
  return column;
}
