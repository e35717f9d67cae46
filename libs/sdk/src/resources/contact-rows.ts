import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import { Pages } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

type By = Query<'GET /lists/contact/row/{row_id}'>;

/** `by: 'name'` names cells by the name of their column instead of its id. */
export class ContactRows {
  constructor(private readonly api: Api) {}

  create(
    body: Schemas['ContactCellsRequest'],
    query: By = {},
    options?: WriteOptions,
  ): Promise<Schemas['ContactRowAnswer']> {
    return this.api.call('POST /lists/contact/rows', { query, body }, options);
  }

  find(row_id: string, query: By = {}, options?: CallOptions): Promise<Schemas['ContactRowAnswer']> {
    return this.api.call('GET /lists/contact/row/{row_id}', { path: { row_id }, query }, options);
  }

  /** Writes the named cells; an empty text clears one. */
  change(
    row_id: string,
    body: Schemas['ContactCellsRequest'],
    query: By = {},
    options?: WriteOptions,
  ): Promise<Schemas['ContactRowAnswer']> {
    return this.api.call('PATCH /lists/contact/rows/{row_id}', { path: { row_id }, query, body }, options);
  }

  remove(row_id: string, query: By = {}, options?: UnkeyedOptions): Promise<Schemas['ContactRowAnswer']> {
    return this.api.call('DELETE /lists/contact/rows/{row_id}', { path: { row_id }, query }, options);
  }

  /** The rows that match all filters. Further pages continue the same query. */
  query(
    body: Schemas['SortedContactRowsQuery'] = {},
    query: Query<'POST /lists/contact/rows/query'> = {},
    options?: CallOptions,
  ): Pages<Schemas['ContactRowsPage'], Schemas['ContactRow']> {
    const read = async (
      previous?: Schemas['ContactRowsPage'],
    ): Promise<Schemas['ContactRowsPage'] | undefined> => {
      const { next_page, page = 0, query_id } = previous?.meta.pagination ?? {};
      if (next_page === 'false') return undefined;
      const further = previous && { page: page + 1, ...(query_id !== undefined && { query_id }) };
      return this.api.call(
        'POST /lists/contact/rows/query',
        { query: { ...query, ...further }, body },
        options,
      );
    };
    return new Pages(read, (page) => page.rows);
  }
}
