import {
  type AnyContactFilter,
  type ChangeSmartlistRequest,
  type ContactFilter,
  type CreateSmartlistRequest,
  formatTimestamp,
  type RecordId,
  type Smartlist,
} from '@gangan/contracts';
import type { Smartlist as StoredSmartlist } from '@gangan/database';
import { invalidRequest, isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { noSuchSmartlist } from '../contacts.errors.js';
import { resolveFilters, withColumnIds } from '../filters/resolve-filters.js';
import type { Table } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { SmartlistsRepository } from './smartlists.repository.js';

@Injectable()
export class SmartlistsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly smartlists: SmartlistsRepository,
  ) {}

  async list(context: RequestContext): Promise<Smartlist[]> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    return (await this.smartlists.list(table.id)).map(formatSmartlist);
  }

  async find({ id }: RecordId, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const found = await this.smartlists.find(table.id, parseId(id));
    if (!found) throw noSuchSmartlist();
    return formatSmartlist(found);
  }

  async create({ name, filters }: CreateSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const stored = await toStored(filters, table);
    return formatSmartlist(await this.smartlists.create(table.id, context.operationId, name.trim(), stored));
  }

  async change({ id, name, filters }: ChangeSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const stored = filters && (await toStored(filters, table));
    return formatSmartlist(await this.smartlists.change(table.id, parseId(id), name?.trim(), stored));
  }

  async remove({ id }: RecordId, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    return formatSmartlist(await this.smartlists.remove(table.id, parseId(id)));
  }
}

export const formatSmartlist = (stored: StoredSmartlist): Smartlist => ({
  id: stored.id,
  name: stored.name,
  filters: readFilters(stored),
  created_datetime: formatTimestamp(stored.createdAt),
  updated_datetime: formatTimestamp(stored.updatedAt ?? stored.createdAt),
});

/** The filters name columns by id only, because names may change. */
export const readFilters = ({ filters }: StoredSmartlist) => filters as unknown as ContactFilter[];

function parseId(id: string): string {
  if (!isId(id)) throw noSuchSmartlist();
  return id.toLowerCase();
}

/** @throws AppError 400 */
async function toStored(given: readonly ContactFilter[], { columns }: Table): Promise<AnyContactFilter[]> {
  const { filters, errors } = await resolveFilters(given, columns, 'filters');
  if (errors.length > 0) throw invalidRequest(errors);
  return withColumnIds(given, filters);
}
