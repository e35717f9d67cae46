export type { CallOptions, RetryEvent, UnkeyedOptions, WriteOptions } from './api.js';
export { ApiError, CallbackSignatureError, ConnectionError, GanganError, TimeoutError } from './errors.js';
export { Gangan, type GanganOptions } from './gangan.js';
export type { Pages } from './pages.js';
export type { CallbackEvent, CsvFile, Query, Schemas } from './routes.js';
export { type Callback, unwrapCallback } from './unwrap-callback.js';
