import {
  type ChangeSmartlistRequest,
  type ContactFilter,
  type CreateSmartlistRequest,
  type Smartlist,
  type SmartlistId,
} from '@gangan/contracts';
import { invalidRequest, isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { noSuchSmartlist } from '../contacts.errors.js';
import { keptFilter, resolveFilters } from '../filters/filter.js';
import type { Table } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { smartlistAnswer } from './kept-smartlist.js';
import { SmartlistsRepository } from './smartlists.repository.js';

@Injectable()
export class SmartlistsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly smartlists: SmartlistsRepository,
  ) {}

  async list(context: RequestContext): Promise<Smartlist[]> {
    const table = await this.tables.of(requireOrganisationId(context));
    return (await this.smartlists.list(table.id)).map(smartlistAnswer);
  }

  async find({ id }: SmartlistId, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.of(requireOrganisationId(context));
    const found = await this.smartlists.find(table.id, usable(id));
    if (!found) throw noSuchSmartlist();
    return smartlistAnswer(found);
  }

  async create({ name, filters }: CreateSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.of(requireOrganisationId(context));
    const kept = keptFilters(filters, table);
    const id = context.operationId;
    const fields = { name: name.trim(), filters: kept };
    return smartlistAnswer(await this.smartlists.create(table.id, id, fields, timeOfId(id)));
  }

  async change({ id, name, filters }: ChangeSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.of(requireOrganisationId(context));
    const fields = {
      ...(name !== undefined && { name: name.trim() }),
      ...(filters && { filters: keptFilters(filters, table) }),
    };
    return smartlistAnswer(await this.smartlists.change(table.id, usable(id), fields));
  }

  async remove({ id }: SmartlistId, context: RequestContext): Promise<Smartlist> {
    const table = await this.tables.of(requireOrganisationId(context));
    return smartlistAnswer(await this.smartlists.remove(table.id, usable(id)));
  }
}

function usable(id: string): string {
  if (!isId(id)) throw noSuchSmartlist();
  return id.toLowerCase();
}

function keptFilters(given: readonly ContactFilter[], { columns }: Table): ContactFilter[] {
  const { filters, errors } = resolveFilters(given, columns, 'filters');
  if (errors.length > 0) throw invalidRequest(errors);
  return given.flatMap((filter, index) => {
    const resolved = filters[index];
    return resolved ? [keptFilter(filter, resolved)] : [];
  });
}
