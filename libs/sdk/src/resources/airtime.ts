import type { Api, CallOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** Airtime and data bundles. */
export class Airtime {
  constructor(private readonly api: Api) {}

  /** Reserves the price and returns `pending`; `find` or a callback has the outcome. */
  buy(body: Schemas['BuyAirtimeRequest'], options?: WriteOptions): Promise<Schemas['AirtimePurchase']> {
    return this.api.call('POST /airtime/buy', { body }, options);
  }

  /** Purchases, newest first. */
  list(
    query: Query<'GET /airtime'> = {},
    options?: CallOptions,
  ): Pages<Schemas['AirtimePage'], Schemas['AirtimePurchase']> {
    return pagesOf(this.api, 'GET /airtime', { query }, (page) => page.purchases, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['AirtimePurchase']> {
    return this.api.call('GET /airtime/{id}', { path: { id } }, options);
  }

  networks(options?: CallOptions): Promise<Schemas['AirtimeNetwork'][]> {
    return this.api.call('GET /airtime/networks', {}, options);
  }

  /** The data bundles that can be bought. */
  products(
    query: Query<'GET /airtime/products'> = {},
    options?: CallOptions,
  ): Pages<Schemas['AirtimeProductPage'], Schemas['AirtimeProduct']> {
    return pagesOf(this.api, 'GET /airtime/products', { query }, (page) => page.products, options, 'after');
  }
}
