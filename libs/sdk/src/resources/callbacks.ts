import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** What was sent to your URLs; `unwrapCallback` verifies what arrives there. */
export class Callbacks {
  readonly endpoints: CallbackEndpoints;

  constructor(private readonly api: Api) {
    this.endpoints = new CallbackEndpoints(api);
  }

  /** Newest first. */
  list(
    query: Query<'GET /callbacks'> = {},
    options?: CallOptions,
  ): Pages<Schemas['CallbackPage'], Schemas['CallbackSummary']> {
    return pagesOf(this.api, 'GET /callbacks', { query }, (page) => page.callbacks, options);
  }

  /** A callback with its body and its attempts. */
  find(id: string, options?: CallOptions): Promise<Schemas['CallbackDetails']> {
    return this.api.call('GET /callbacks/{id}', { path: { id } }, options);
  }

  /** Sends it again now, in any state. */
  resend(id: string, options?: WriteOptions): Promise<Schemas['CallbackDetails']> {
    return this.api.call('POST /callbacks/{id}/resend', { path: { id } }, options);
  }
}

/** URLs that receive the events of the whole organisation. */
export class CallbackEndpoints {
  constructor(private readonly api: Api) {}

  /** The `secret` is not shown again. */
  create(
    body: Schemas['CreateEndpointRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['NewCallbackEndpoint']> {
    return this.api.call('POST /callback-endpoints', { body }, options);
  }

  list(options?: CallOptions): Promise<Schemas['CallbackEndpoints']> {
    return this.api.call('GET /callback-endpoints', {}, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['CallbackEndpoint']> {
    return this.api.call('GET /callback-endpoints/{id}', { path: { id } }, options);
  }

  change(
    id: string,
    body: Schemas['ChangeEndpointFields'],
    options?: WriteOptions,
  ): Promise<Schemas['CallbackEndpoint']> {
    return this.api.call('PATCH /callback-endpoints/{id}', { path: { id }, body }, options);
  }

  remove(id: string, options?: UnkeyedOptions): Promise<Schemas['CallbackEndpoint']> {
    return this.api.call('DELETE /callback-endpoints/{id}', { path: { id } }, options);
  }

  /** Sends an `endpoint.test` event. */
  test(id: string, options?: WriteOptions): Promise<Schemas['CallbackDetails']> {
    return this.api.call('POST /callback-endpoints/{id}/test', { path: { id } }, options);
  }

  /** Returns a new `secret`; the current one signs too for `overlap_hours`. */
  rotateSecret(
    id: string,
    body: Schemas['RotateSecretFields'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['RotatedSecret']> {
    return this.api.call('POST /callback-endpoints/{id}/rotate-secret', { path: { id }, body }, options);
  }

  /** Sends the callbacks of a period again. If the result has `next`, call again with it as `after`. */
  recover(
    id: string,
    body: Schemas['RecoverFields'],
    options?: WriteOptions,
  ): Promise<Schemas['RecoveredCallbacks']> {
    return this.api.call('POST /callback-endpoints/{id}/recover', { path: { id }, body }, options);
  }
}
