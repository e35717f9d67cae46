import { allContracts } from '@gangan/contracts';

/** The time limit for claiming. It is taken from the end of the lease. */
export const claimTimeoutMs = 3_000;
/** Time for work that began just before its deadline, and for clock differences. */
const marginMs = 10_000;

/** The deadline of routes that do not declare their contract. */
const maxDeadlineMs = Math.max(
  0,
  ...allContracts.map((contract) => (contract.kind === 'request' ? contract.deadlineMs : 0)),
);

/** Longer than the work of the route can last: no worker starts a request whose deadline has passed. */
export const leaseMsOf = (routeConfig: unknown): number =>
  ((routeConfig as { readonly deadlineMs?: number } | undefined)?.deadlineMs ?? maxDeadlineMs) + marginMs;

/** Until the deadline a duplicate should retry every second, since most requests end soon; later, when the lease ends. */
export const retryAfterMs = (leaseLeftMs: number): number => (leaseLeftMs > marginMs ? 1_000 : leaseLeftMs);

/**
 * What happens to a claim when its request is answered.
 * - `store`: the response is final. It is stored and returned to duplicates.
 * - `delete`: nothing was done. The key is free again, for another body too.
 * - `release`: the work has ended but may have had effects, or its response is too large to store. A retry may start at
 *   once, under the same operation id.
 * - `keep`: the work may still be running. Duplicates are rejected until the lease ends, then one may retry under the
 *   same operation id.
 */
export type ClaimEnd = 'store' | 'delete' | 'release' | 'keep';

const finalErrors = new Set([402, 404, 409]);

/** @param isStorable whether the response is small enough to be stored */
export function claimEndOf(
  status: number,
  outcomeUnknown: boolean,
  attempt: number,
  isStorable = true,
): ClaimEnd {
  if ((status >= 200 && status < 300) || finalErrors.has(status)) return isStorable ? 'store' : 'release';
  if (outcomeUnknown) return 'keep';
  // An error says that this attempt did nothing. What an earlier attempt did remains unknown.
  return nothingWasDone(status) && attempt === 1 ? 'delete' : 'release';
}

/** Excludes 500: the error may have followed the commit. */
const nothingWasDone = (status: number): boolean => (status >= 400 && status < 500) || status === 503;
