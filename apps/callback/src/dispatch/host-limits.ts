import { type RowOf, t } from '@gangan/database';
import type { FairSlots } from '@gangan/leases';
import { breaker } from '../attempts/attempt.repository.js';

/** A host to which an organisation sends callbacks. Limits are per host, so that one does not affect another. */
export interface Host {
  readonly organisationId: string;
  readonly host: string;
}

export const hostKey = ({ organisationId, host }: Host): string => `${organisationId} ${host}`;

/** What all workers know about a host. */
export const hostStateShape = {
  organisationId: t.uuid,
  host: t.text,
  /** Its average response time; `null` for a new host. */
  responseMs: t.nullable(t.int),
  failures: t.int,
  /** Its circuit is open: it keeps failing and gets no attempts for a while. */
  isOpen: t.bool,
  /** Callbacks that other workers have claimed. */
  inFlight: t.int,
};

export type HostState = RowOf<{ shape: typeof hostStateShape }>;

/** Slow hosts have slots of their own, so that they cannot occupy those of fast hosts. */
export type Pool = 'fast' | 'slow';

/** The response time from which a host or an attempt is slow. */
export const slowMs = 1_000;

/** The part of the limit of a fast host that a slow host gets. */
const slowPart = 1 / 4;

/** Callbacks that are claimed ahead for each attempt in flight, so that a slot does not wait for the next claim. */
const aheadPerAttempt = 3;

export const poolFor = ({ responseMs }: Pick<HostState, 'responseMs'>): Pool =>
  (responseMs ?? 0) >= slowMs ? 'slow' : 'fast';

/** How many attempts a host may get here. A new host, or one whose circuit was open, gets one as a test. */
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
  /** How many attempts of the host may be in flight here. */
  readonly limit: number;
  /** How many more the host could get. */
  readonly remaining: number;
  readonly slots: number;
  /** How many callbacks are claimed beyond the slots. */
  readonly ahead: number;
}

/**
 * Shares the free slots of each pool between the hosts that may get attempts; the first get the remainder.
 * @param claimsOf what this worker has claimed of a host
 */
export function shareSlots(
  states: readonly HostState[],
  pools: Readonly<Record<Pool, FairSlots>>,
  maxPerHost: number,
  claimsOf: (host: Host) => Readonly<Record<'inFlight' | 'waiting', number>> | undefined = () => undefined,
): SlotShare[] {
  const hosts = states.map((host) => {
    const { inFlight, waiting } = claimsOf(host) ?? { inFlight: 0, waiting: 0 };
    const limit = remainingAttempts(host, maxPerHost);
    const remaining = Math.max(0, limit - inFlight - waiting);
    return { host, pool: poolFor(host), limit, remaining, inFlight, waiting };
  });
  const shareOf = (pool: Pool): number => {
    const claimants = hosts.filter((each) => each.pool === pool && each.remaining > 0).length;
    return Math.ceil(pools[pool].free / Math.max(1, claimants));
  };
  const shares = { fast: shareOf('fast'), slow: shareOf('slow') };
  const left = { fast: pools.fast.copy(), slow: pools.slow.copy() };
  return hosts.map(({ host, pool, limit, remaining, inFlight, waiting }) => {
    const slots = Math.min(remaining, shares[pool], left[pool].freeFor(host.organisationId));
    left[pool].take(host.organisationId, slots);
    // Callbacks of a host that fails or is slow would wait for too long.
    const waits = pool === 'slow' || host.failures > 0 || host.responseMs === null;
    const max = waits ? 0 : Math.min(limit, inFlight + slots) * aheadPerAttempt;
    const ahead = Math.max(0, max - waiting);
    return { host, pool, limit, remaining, slots, ahead };
  });
}
