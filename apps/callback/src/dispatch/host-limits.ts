import { type RowOf, t } from '@gangan/database';
import type { FairSlots } from '@gangan/leases';
import { breaker } from '../attempts/attempt.repository.js';

/** A host to which an organisation sends callbacks. Limits are per host, so that one does not affect another. */
export interface Host {
  readonly organisationId: string;
  readonly host: string;
}

export const hostKey = ({ organisationId, host }: Host): string => `${organisationId} ${host}`;

/** What all workers together know about a host. */
export const hostStateShape = {
  organisationId: t.uuid,
  host: t.text,
  /** Its average response time; `null` for a new host. */
  responseMs: t.nullable(t.int),
  failures: t.int,
  /** Its circuit is open: it keeps failing and gets no attempts for a while. */
  isOpen: t.bool,
  /** Attempts of all workers. */
  inFlight: t.int,
};

export type HostState = RowOf<{ shape: typeof hostStateShape }>;

/** Slow hosts have slots of their own, so that they cannot occupy those of fast hosts. */
export type Pool = 'fast' | 'slow';

/** The response time from which a host or an attempt is slow. */
export const slowMs = 1_000;

/** The part of the limit of a fast host that a slow host gets. */
const slowPart = 1 / 4;

export const poolFor = ({ responseMs }: Pick<HostState, 'responseMs'>): Pool =>
  (responseMs ?? 0) >= slowMs ? 'slow' : 'fast';

/** How many more attempts a host may get. A new host, or one whose circuit was open, gets one as a test. */
export function remainingAttempts(state: HostState, maxPerHost: number): number {
  if (state.isOpen) return 0;
  const isTested = state.responseMs === null || state.failures >= breaker.failures;
  const max = poolFor(state) === 'slow' ? Math.ceil(maxPerHost * slowPart) : maxPerHost;
  return Math.max(0, (isTested ? 1 : max) - state.inFlight);
}

/** The slots that a worker gives to a host. */
export interface SlotShare {
  readonly host: HostState;
  readonly pool: Pool;
  /** How many the host could get. */
  readonly remaining: number;
  readonly slots: number;
}

/** Shares the free slots of each pool between the hosts that may get attempts; the first get the remainder. */
export function shareSlots(
  states: readonly HostState[],
  pools: Readonly<Record<Pool, FairSlots>>,
  maxPerHost: number,
): SlotShare[] {
  const hosts = states.map((host) => ({
    host,
    pool: poolFor(host),
    remaining: remainingAttempts(host, maxPerHost),
  }));
  const shareOf = (pool: Pool): number => {
    const claimants = hosts.filter((each) => each.pool === pool && each.remaining > 0).length;
    return Math.ceil(pools[pool].free / Math.max(1, claimants));
  };
  const shares = { fast: shareOf('fast'), slow: shareOf('slow') };
  const left = { fast: pools.fast.copy(), slow: pools.slow.copy() };
  return hosts.map(({ host, pool, remaining }) => {
    const slots = Math.min(remaining, shares[pool], left[pool].freeFor(host.organisationId));
    left[pool].take(host.organisationId, slots);
    return { host, pool, remaining, slots };
  });
}
