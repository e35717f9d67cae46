export { failed, type FailureReason, type HttpResult } from './exchange.js';
export { parseRetryAfter } from './retry-after.js';
export { GuardedClient, type GuardedClientOptions, type HttpRequest } from './guarded-client.js';
