export { AppError, type AppErrorOptions, type FieldError, type SerializedError } from './app-error.js';
export { BatchScope } from './batch-scope.js';
export { callProvider, type CallOptions } from './call-provider.js';
export {
  type Contract,
  type DataOf,
  defineEvent,
  defineRequest,
  type Dto,
  type EventContract,
  type ReplyOf,
  type ReplyShape,
  type RequestContract,
} from './contract.js';
export { internalError, invalidRequest, notFound, outcomeUnknown, unavailable } from './errors.js';
export { maxId, firstIdAt, isId, newId, timeOfId } from './ids.js';
export { type KeyScope, keyScopes } from './key-scopes.js';
export { redactUrl } from './redact-url.js';
export { fail, type Reply, succeed } from './reply.js';
export {
  currentBatch,
  currentContext,
  newContext,
  organisationOf,
  outsideRequests,
  type RequestContext,
  runInContext,
} from './request-context.js';
export { withTimeout } from './with-timeout.js';
export { describeError } from './describe-error.js';
