export { failed, type FailureReason, type HttpResult } from './exchange.js';
export { GuardedClient, type GuardedClientOptions, type HttpRequest } from './guarded-client.js';
