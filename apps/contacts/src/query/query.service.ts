import { createHash } from 'node:crypto';
import {
  type ContactPageQuery,
  type ContactRowsPage,
  type ContactRowsQuery,
  defaultContactPageSize,
  queryContactRows,
  type QueryContactRowsRequest,
} from '@gangan/contracts';
import type { Smartlist } from '@gangan/database';
import { invalidRequest, isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { invalidQueryId, unknownSmartlist } from '../contacts.errors.js';
import type { FilterNode } from '../filters/filter.js';
import { resolveFilters } from '../filters/resolve-filters.js';
import { OptOutsRepository } from '../rows/opt-outs.repository.js';
import { formatRow } from '../rows/row.js';
import { SmartlistsRepository } from '../smartlists/smartlists.repository.js';
import { formatSmartlist, readFilters } from '../smartlists/smartlists.service.js';
import { formatTable, type Table } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { type Page, type PageQuery, QueryRepository } from './query.repository.js';
import { queryDeadline, QuerySlots } from './query-slots.js';
import { resolveSort, type Sort } from './sort.js';

@Injectable()
export class QueryService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly smartlists: SmartlistsRepository,
    private readonly queries: QueryRepository,
    private readonly optOuts: OptOutsRepository,
    private readonly slots: QuerySlots,
  ) {}

  async query({ rows, page }: QueryContactRowsRequest, context: RequestContext): Promise<ContactRowsPage> {
    const organisationId = requireOrganisationId(context);
    const deadline = queryDeadline(queryContactRows);
    const table = await this.tables.findOrCreate(organisationId);
    const { smartlist, filters, errors } = await this.resolve(table, rows);
    const sorted = rows.sort && resolveSort(rows.sort, table.columns);
    const sort = sorted && 'sort' in sorted ? sorted.sort : undefined;
    const allErrors = [...errors, ...(sorted && 'error' in sorted ? [sorted.error] : [])];
    if (!smartlist || allErrors.length > 0) throw invalidRequest(allErrors);
    const query: PageQuery = {
      tableId: table.id,
      filters,
      sort,
      fingerprint: hash(smartlist, filters, sort),
      page: page.page ?? 1,
      deadline,
    };
    const { found, optOuts } = await this.slots.run(organisationId, deadline, async () => {
      const read = await this.read(query, page, context);
      return { found: read, optOuts: await this.optOuts.find(organisationId, table, read.rows) };
    });
    return {
      rows: found.rows.map((row) => formatRow(row, table.columns, optOuts, page.by)),
      table: formatTable(table),
      smartlist: formatSmartlist(smartlist),
      meta: {
        method: 'POST',
        resource: '/lists/contact/rows/query',
        pagination: formatPagination(found, query.page),
      },
    };
  }

  /** The filters of the smartlist and of the request: a row has to match all of them. @throws AppError 400 */
  async select(table: Table, request: ContactRowsQuery) {
    const { smartlist, filters, errors } = await this.resolve(table, request);
    if (!smartlist || errors.length > 0) throw invalidRequest(errors);
    return { smartlist, filters };
  }

  /** As `select`, but returns the errors. */
  async resolve(table: Table, request: ContactRowsQuery) {
    const { smartlist_id: id } = request;
    const smartlist =
      id === undefined || isId(id) ? await this.smartlists.find(table.id, id?.toLowerCase()) : null;
    const own = await resolveFilters(request.filters ?? [], table.columns, 'filters');
    const saved = await resolveFilters(
      smartlist ? readFilters(smartlist) : [],
      table.columns,
      'smartlist_id',
    );
    const errors = [...(smartlist ? [] : [unknownSmartlist]), ...own.errors, ...saved.errors];
    return { smartlist, filters: [...saved.filters, ...own.filters], errors };
  }

  private async read(
    query: PageQuery,
    { query_id: queryId, per_page: perPage, limit }: ContactPageQuery,
    context: RequestContext,
  ): Promise<Page> {
    const size = perPage ?? limit;
    if (queryId === undefined)
      return this.queries.begin(query, context.operationId, size ?? defaultContactPageSize);
    const page = isId(queryId) && (await this.queries.resume(query, queryId.toLowerCase(), size));
    if (!page) throw invalidQueryId();
    return page;
  }
}

const identify = (node: FilterNode): unknown[] =>
  'join' in node ? [node.join, node.filters.map(identify)] : [node.columnId, node.operator, node.values];

const hash = ({ id }: Smartlist, filters: readonly FilterNode[], sort: Sort | undefined): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([id, filters.map(identify), ...(sort ? [sort] : [])]))
    .digest();

const formatPagination = ({ scroll, hasNext }: Page, page: number) =>
  ({
    next_page: hasNext ? 'true' : 'false',
    prev_page: page > 1 ? 'true' : 'false',
    per_page: scroll.perPage,
    count_total: scroll.total,
    page_total: Math.ceil(scroll.total / scroll.perPage),
    page,
    query_id: scroll.id,
  }) as const;
