import { AsyncLocalStorage } from 'node:async_hooks';
import type { BatchScope } from './batch-scope.js';
import { newId } from '../ids.js';

/** The caller and the ids of a request. It is passed on to jobs, log lines, provider calls and callbacks. */
export interface RequestContext {
  /** The same for everything that one HTTP request caused; `X-Request-Id`. */
  readonly requestId: string;
  /** The id of the resource that this operation creates. It exists before dispatch, so a retry finds its own row. */
  readonly operationId: string;
  readonly organisationId?: string;
  readonly apiKeyId?: string;
}

/**
 * Starts the id of a request that is logged at debug level in every app. The id is stored with messages, purchases, OTPs and
 * callbacks, so later work is logged too. The gateway gives such ids only to operators.
 */
export const debugPrefix = 'debug-';

export const isDebugged = (requestId: string | undefined): boolean =>
  requestId?.startsWith(debugPrefix) ?? false;

interface Store {
  readonly context: RequestContext;
  readonly batch?: BatchScope;
}

const storage = new AsyncLocalStorage<Store>();

export const newContext = ({
  requestId = newId(),
  operationId = newId(),
  ...caller
}: Partial<RequestContext> = {}): RequestContext => ({ requestId, operationId, ...caller });

/** @throws if the context has no organisation; the gateway sets one for every customer request */
export function requireOrganisationId({ organisationId }: RequestContext): string {
  if (organisationId === undefined) throw new Error('The request has no organisation');
  return organisationId;
}

export const currentContext = (): RequestContext | undefined => storage.getStore()?.context;

export const currentBatch = (): BatchScope | undefined => storage.getStore()?.batch;

/** Runs `work` with this context and, if it is a member of a batch, this batch. */
export const runInContext = <T>(context: RequestContext, work: () => T, batch?: BatchScope): T =>
  storage.run({ context, ...(batch && { batch }) }, work);

/**
 * Runs `work` without a context. For connections and timers that outlive the request that created them: otherwise
 * their log lines would carry its id.
 */
export const runWithoutContext = <T>(work: () => T): T => storage.exit(work);
