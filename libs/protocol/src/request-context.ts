import { AsyncLocalStorage } from 'node:async_hooks';
import type { BatchScope } from './batch-scope.js';
import { newId } from './ids.js';

/** Who asked, and under which ids. It travels with the work: gateway, job, log lines, provider, callback. */
export interface RequestContext {
  /** Joins everything that one HTTP request caused; `X-Request-Id`. */
  readonly requestId: string;
  /** The id of what this operation creates. Made before dispatch, so that a retry meets its own row. */
  readonly operationId: string;
  readonly organisationId?: string;
  readonly apiKeyId?: string;
}

interface Ambient {
  readonly context: RequestContext;
  readonly batch?: BatchScope;
}

const ambient = new AsyncLocalStorage<Ambient>();

export const newContext = (given: Partial<RequestContext> = {}): RequestContext => ({
  requestId: newId(),
  operationId: newId(),
  ...given,
});

/** @throws when it belongs to nobody: every request of a customer comes through the gateway, which knows whose it is */
export function organisationOf({ organisationId }: RequestContext): string {
  if (organisationId === undefined) throw new Error('The request belongs to no organisation');
  return organisationId;
}

export const currentContext = (): RequestContext | undefined => ambient.getStore()?.context;

export const currentBatch = (): BatchScope | undefined => ambient.getStore()?.batch;

/** Runs `work` so that everything it awaits finds this context, and this batch if it is a member of one. */
export const runInContext = <T>(context: RequestContext, work: () => T, batch?: BatchScope): T =>
  ambient.run({ context, ...(batch && { batch }) }, work);

/**
 * Runs `work` for nobody in particular. What outlives a request (a connection, a timer, what listens to them) would
 * otherwise keep the context of the request that happened to make it, and put its id into the log lines of others.
 */
export const outsideRequests = <T>(work: () => T): T => ambient.exit(work);
