import { createHash } from 'node:crypto';
import {
  type ContactPageQuery,
  type ContactRowsPage,
  type ContactRowsQuery,
  queryContactRows,
  type QueryContactRowsRequest,
  defaultContactPageSize,
} from '@gangan/contracts';
import { invalidRequest, isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { badScroll, unknownSmartlist } from '../contacts.errors.js';
import { rowAnswer } from '../rows/row.js';
import { type KeptSmartlist, smartlistAnswer } from '../smartlists/kept-smartlist.js';
import { SmartlistsRepository } from '../smartlists/smartlists.repository.js';
import { type Table, tableAnswer } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { type Filter, resolveFilters } from '../filters/filter.js';
import { type Page, type PageWish, QueryRepository } from './query.repository.js';
import { QueryTurns, untilAnswered } from './query-turns.js';

export interface Selection {
  readonly smartlist: KeptSmartlist;
  readonly filters: readonly Filter[];
}

@Injectable()
export class QueryService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly smartlists: SmartlistsRepository,
    private readonly queries: QueryRepository,
    private readonly turns: QueryTurns,
  ) {}

  async query({ rows, page }: QueryContactRowsRequest, context: RequestContext): Promise<ContactRowsPage> {
    const organisationId = requireOrganisationId(context);
    const until = untilAnswered(queryContactRows);
    const table = await this.tables.of(organisationId);
    const { smartlist, filters } = await this.select(table, rows);
    const wish: PageWish = {
      tableId: table.id,
      filters,
      fingerprint: fingerprintOf(smartlist, filters),
      page: page.page ?? 1,
      until,
    };
    const found = await this.turns.take(organisationId, until, () => this.read(wish, page, context));
    return {
      rows: found.rows.map((row) => rowAnswer(row, table.columns)),
      table: tableAnswer(table),
      smartlist: smartlistAnswer(smartlist),
      meta: {
        method: 'POST',
        resource: '/lists/contact/rows/query',
        pagination: paginationOf(found, wish.page),
      },
    };
  }

  private async read(
    wish: PageWish,
    { query_id: queryId, per_page: perPage, limit }: ContactPageQuery,
    context: RequestContext,
  ): Promise<Page> {
    const size = perPage ?? limit;
    if (queryId === undefined)
      return this.queries.begin(wish, context.operationId, size ?? defaultContactPageSize);
    const page = isId(queryId) && (await this.queries.resume(wish, queryId.toLowerCase(), size));
    if (!page) throw badScroll();
    return page;
  }

  /** The smartlist's filters and the request's own: a row has to match all of them. */
  async select(table: Table, wish: ContactRowsQuery): Promise<Selection> {
    const { smartlist_id: id } = wish;
    const smartlist =
      id === undefined || isId(id) ? await this.smartlists.find(table.id, id?.toLowerCase()) : undefined;
    const own = resolveFilters(wish.filters ?? [], table.columns, 'filters');
    const saved = resolveFilters(smartlist?.filters ?? [], table.columns, 'smartlist_id');
    const errors = [...(smartlist ? [] : [unknownSmartlist]), ...own.errors, ...saved.errors];
    if (!smartlist || errors.length > 0) throw invalidRequest(errors);
    return { smartlist, filters: [...saved.filters, ...own.filters] };
  }
}

const fingerprintOf = ({ id }: KeptSmartlist, filters: readonly Filter[]): Buffer =>
  createHash('sha256')
    .update(
      JSON.stringify([id, filters.map(({ columnId, operator, values }) => [columnId, operator, values])]),
    )
    .digest();

const paginationOf = ({ scroll, hasNext }: Page, page: number) =>
  ({
    next_page: hasNext ? 'true' : 'false',
    prev_page: page > 1 ? 'true' : 'false',
    per_page: scroll.perPage,
    count_total: scroll.count.total,
    page_total: Math.ceil(scroll.count.total / scroll.perPage),
    page,
    query_id: scroll.id,
  }) as const;
