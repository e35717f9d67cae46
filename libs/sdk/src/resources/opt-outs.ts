import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** Numbers that get no promotional messages. */
export class OptOuts {
  constructor(private readonly api: Api) {}

  add(body: Schemas['AddOptOutRequest'], options?: WriteOptions): Promise<Schemas['OptOut']> {
    return this.api.call('POST /optouts', { body }, options);
  }

  /** Newest first. */
  list(
    query: Query<'GET /optouts'> = {},
    options?: CallOptions,
  ): Pages<Schemas['OptOutPage'], Schemas['OptOut']> {
    return pagesOf(this.api, 'GET /optouts', { query }, (page) => page.opt_outs, options);
  }

  remove(id: string, options?: UnkeyedOptions): Promise<Schemas['OptOut']> {
    return this.api.call('DELETE /optouts/{id}', { path: { id } }, options);
  }
}
