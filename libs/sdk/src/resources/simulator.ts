import type { Api, CallOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** For tests of your application, with a test key. */
export class Simulator {
  constructor(private readonly api: Api) {}

  /** What the simulated carriers were given in the last hour, newest first. */
  messages(
    query: Query<'GET /simulator/messages'> = {},
    options?: CallOptions,
  ): Pages<Schemas['OutboxPage'], Schemas['OutboxMessage']> {
    return pagesOf(this.api, 'GET /simulator/messages', { query }, (page) => page.messages, options);
  }

  /** Plays a message from a phone to one of your numbers. */
  playInbound(body: Schemas['PlayInboundRequest'], options?: WriteOptions): Promise<Schemas['InboxMessage']> {
    return this.api.call('POST /simulator/inbound', { body }, options);
  }
}
