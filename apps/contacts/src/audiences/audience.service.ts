import {
  maxContactCount,
  maxSmartlistCellLength,
  openSmartlist,
  type OpenedSmartlist,
  type OpenSmartlistRequest,
  type ReadSmartlistRequest,
  type SmartlistRow,
  type SmartlistRows,
} from '@gangan/contracts';
import {
  AppError,
  type FieldError,
  invalidRequest,
  requireOrganisationId,
  type RequestContext,
} from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { Filter } from '../filters/filter.js';
import { QueryService } from '../query/query.service.js';
import { QueryTurns, untilAnswered } from '../query/query-turns.js';
import { isRare } from '../query/row-search.js';
import type { Row } from '../rows/row.js';
import type { Table } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { type Audience, type NamedColumn, readAgain, writtenDown } from './audience.js';
import { columnNamed, phoneColumn } from './audience-columns.js';
import { AudienceRepository, type Moment } from './audience.repository.js';

/** What one answer holds, in characters; the row that goes beyond is the last. */
const mostCharacters = 250_000;

/** Smartlists as messages are sent to them. */
@Injectable()
export class AudienceService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly queries: QueryService,
    private readonly turns: QueryTurns,
    private readonly repository: AudienceRepository,
  ) {}

  async open(request: OpenSmartlistRequest, context: RequestContext): Promise<OpenedSmartlist> {
    const organisationId = requireOrganisationId(context);
    const until = untilAnswered(openSmartlist);
    const table = await this.tables.of(organisationId);
    const phone = phoneColumn(table.columns, request.phone_column);
    const { filters, errors } = await this.filtersOf(table, request.smartlist_id);
    if ('field' in phone || errors.length > 0)
      throw invalidRequest([...errors, ...('field' in phone ? [phone] : [])]);
    const named = request.names.map((name) => ({ name, id: columnNamed(table.columns, name)?.id }));
    const columns = named.filter((column): column is NamedColumn => column.id !== undefined);
    const ids = columns.map(({ id }) => id);
    const { count, measured, snapshot } = await this.turns.take(organisationId, until, () =>
      this.repository.look(table.id, filters, ids, maxContactCount),
    );
    refuseSize(count);
    const audience = { filters, snapshot, rare: isRare(count, filters), phoneId: phone.id, columns };
    return {
      list: writtenDown(audience),
      rows: count.total,
      columns: columns.flatMap(({ name }, place) => {
        const known = measured[place];
        return known ? [{ name, ...known }] : [];
      }),
      unknown: named.filter(({ id }) => id === undefined).map(({ name }) => name),
    };
  }

  async read({ list, after, limit }: ReadSmartlistRequest, context: RequestContext): Promise<SmartlistRows> {
    const table = await this.tables.of(requireOrganisationId(context));
    const audience = readAgain(list);
    const found = await this.repository.rows(table.id, audience, after, limit);
    const rows: SmartlistRow[] = [];
    let characters = 0;
    for (const row of found) {
      if (characters > mostCharacters) break;
      const told = rowOf(row, audience);
      rows.push(told);
      characters += Object.values(told.cells).reduce((sum, cell) => sum + cell.length, 0);
    }
    return { rows, more: found.length === limit || rows.length < found.length };
  }

  private async filtersOf(
    table: Table,
    id: string,
  ): Promise<{ filters: readonly Filter[]; errors: readonly FieldError[] }> {
    try {
      const { filters } = await this.queries.select(table, { smartlist_id: id });
      return { filters, errors: [] };
    } catch (error) {
      if (error instanceof AppError && error.status === 400) return { filters: [], errors: error.fields };
      throw error;
    }
  }
}

function refuseSize({ total, bounded }: Moment['count']): void {
  const refuse = (message: string, type: string): void => {
    throw invalidRequest([{ field: 'smartlist_id', message, type }]);
  };
  if (total === 0) refuse('smartlist_id names a smartlist that no contact matches', 'value_error');
  if (bounded || total > maxContactCount)
    refuse(
      `smartlist_id names a smartlist of more than ${maxContactCount} contacts: send to parts of it`,
      'too_long',
    );
}

function rowOf({ id, cells }: Row, { phoneId, columns }: Audience): SmartlistRow {
  const phone = cells[phoneId];
  const told = columns.flatMap((column) => {
    const cell = cells[column.id];
    return cell === undefined ? [] : [[column.name, cell.slice(0, maxSmartlistCellLength)] as const];
  });
  return { id, ...(phone !== undefined && { phone }), cells: Object.fromEntries(told) };
}
