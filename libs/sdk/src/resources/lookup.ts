import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** The operator and the country of phone numbers. */
export class Lookup {
  readonly batches: LookupBatches;

  constructor(private readonly api: Api) {
    this.batches = new LookupBatches(api);
  }

  /** Looks up a number. It may be charged, so it is not repeated if the answer was lost, unless the options say so. */
  phone(phone: string, options?: UnkeyedOptions): Promise<Schemas['PhoneLookup']> {
    return this.api.call('GET /lookup/phone', { query: { phone } }, options);
  }
}

/** Lookups of many numbers. */
export class LookupBatches {
  constructor(private readonly api: Api) {}

  create(body: Schemas['LookupBatchRequest'], options?: WriteOptions): Promise<Schemas['LookupBatch']> {
    return this.api.call('POST /lookup/batch', { body }, options);
  }

  /** Newest first. */
  list(
    query: Query<'GET /lookup/batch'> = {},
    options?: CallOptions,
  ): Pages<Schemas['LookupBatchPage'], Schemas['LookupBatch']> {
    return pagesOf(this.api, 'GET /lookup/batch', { query }, (page) => page.batches, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['LookupBatch']> {
    return this.api.call('GET /lookup/batch/{id}', { path: { id } }, options);
  }

  /** The results as CSV, when the batch has ended. */
  file(id: string, options?: CallOptions): Promise<Response> {
    return this.api.file('GET /lookup/batch/{id}/file', { path: { id } }, options);
  }
}
