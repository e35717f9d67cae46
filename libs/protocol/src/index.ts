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
export { afterAllIds, firstIdAt, isId, newId, timeOfId } from './ids.js';
export { type KeyScope, keyScopes } from './key-scopes.js';
export { placeOf } from './place-of.js';
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
export { within } from './within.js';
export { wordsOf } from './words-of.js';
