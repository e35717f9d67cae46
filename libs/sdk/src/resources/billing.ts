import type { Api, CallOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

export class Balance {
  constructor(private readonly api: Api) {}

  /** What can be spent, and what is reserved. */
  find(options?: CallOptions): Promise<Schemas['Balance']> {
    return this.api.call('GET /balance', {}, options);
  }

  /** Below it, endpoints get the event `balance.low`. */
  threshold(options?: CallOptions): Promise<Schemas['BalanceThreshold']> {
    return this.api.call('GET /balance/threshold', {}, options);
  }

  changeThreshold(
    body: Schemas['ChangeBalanceThreshold'],
    options?: WriteOptions,
  ): Promise<Schemas['BalanceThreshold']> {
    return this.api.call('PATCH /balance/threshold', { body }, options);
  }
}

export class Ledger {
  constructor(private readonly api: Api) {}

  /** The movements of the balance, newest first. */
  list(
    query: Query<'GET /ledger'> = {},
    options?: CallOptions,
  ): Pages<Schemas['Ledger'], Schemas['LedgerEntry']> {
    return pagesOf(this.api, 'GET /ledger', { query }, (page) => page.entries, options);
  }
}

export class Prices {
  constructor(private readonly api: Api) {}

  list(options?: CallOptions): Promise<Schemas['PriceListing']> {
    return this.api.call('GET /prices', {}, options);
  }
}
