import type { Api, CallOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** Messages that people sent to your numbers. */
export class Inbox {
  constructor(private readonly api: Api) {}

  /** Newest first. */
  list(
    query: Query<'GET /inbox'> = {},
    options?: CallOptions,
  ): Pages<Schemas['InboxPage'], Schemas['InboxMessage']> {
    return pagesOf(this.api, 'GET /inbox', { query }, (page) => page.messages, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['InboxMessage']> {
    return this.api.call('GET /inbox/{id}', { path: { id } }, options);
  }
}
