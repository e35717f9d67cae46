import type { components, paths, webhooks } from './openapi.js';

/** The types of the OpenAPI document by name, such as `Schemas['SmsMessage']`. */
export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'patch' | 'delete';

/** Every method and path of the API, such as `POST /sms/send`. */
export type Route = {
  [P in keyof paths]: {
    [M in Method & keyof paths[P]]: `${Uppercase<M>} ${P}`;
  }[Method & keyof paths[P]];
}[keyof paths];

type Operation<R extends Route> = R extends `${infer M} ${infer P extends keyof paths}`
  ? Lowercase<M> extends keyof paths[P]
    ? paths[P][Lowercase<M>]
    : never
  : never;

/** The query parameters of a route. */
export type Query<R extends Route> =
  Operation<R> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;

type JsonBody<R extends Route> =
  Operation<R> extends { requestBody: { content: { 'application/json': infer B } } } ? B : undefined;

/** The body of a response. */
export type Answer<R extends Route> =
  Operation<R> extends { responses: { 200: { content: { 'application/json': infer A } } } } ? A : never;

/** A CSV file. A stream can be read only once, so a request with one is never repeated. */
export type CsvFile = string | Blob | ReadableStream<Uint8Array>;

/** The names in the braces of a path. */
type ParametersOf<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;

/** What a request to a route contains. */
export type Input<R extends Route> = {
  path?: Readonly<Record<ParametersOf<R>, string>> | undefined;
  query?: Query<R> | undefined;
  body?: JsonBody<R> | undefined;
  csv?: CsvFile | undefined;
};

/** An event, as `unwrapCallback` returns it. Further types may be added: ignore those you do not know. */
export type CallbackEvent = {
  [T in keyof webhooks]: webhooks[T]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

/** POST routes that only read: they ignore an `Idempotency-Key`. */
const readingPosts: ReadonlySet<string> = new Set<Route>([
  'POST /sms/estimate',
  'POST /lists/contact/rows/query',
]);

/**
 * Whether a request can be sent again if its answer is lost.
 * - `keyed`: yes, under the same `Idempotency-Key`.
 * - `read`: yes, because it changes nothing.
 * - `once`: no. A lookup may be charged and has no key, and a second DELETE would find nothing.
 */
export type Repetition = 'keyed' | 'read' | 'once';

export function repetitionOf(route: Route): Repetition {
  if (route === 'GET /lookup/phone' || route.startsWith('DELETE')) return 'once';
  return route.startsWith('GET') || readingPosts.has(route) ? 'read' : 'keyed';
}
