import type { Occupancy } from './occupancy.js';

/** A host that an organisation's callbacks go to: what is in its way is in nobody else's. */
export interface Host {
  readonly organisationId: string;
  readonly host: string;
}

export const keyOf = ({ organisationId, host }: Host): string => `${organisationId} ${host}`;

/** What all workers together know of a host at this moment. */
export interface HostState extends Host {
  /** `null` while nothing is known. */
  readonly paceMs: number | null;
  readonly failures: number;
  readonly isOpen: boolean;
  /** Attempts under way, of all workers. */
  readonly underWay: number;
}

/** Slow hosts have slots of their own, so that they cannot hold those of the others. */
export type Lane = 'fast' | 'slow';

/** From here on a host, or an attempt, is slow. */
export const slowMs = 1_000;

/** How much the former pace counts against the newest. */
export const paceMemory = 0.7;

/** After so many failures in a row a host is left alone, for twice as long after every further one. */
export const breaker = { failures: 5, firstMs: 5_000, longestMs: 300_000 } as const;

/** A part of what a fast host may have under way at a time. */
const slowPart = 1 / 4;

export const laneOf = ({ paceMs }: Pick<HostState, 'paceMs'>): Lane =>
  (paceMs ?? 0) >= slowMs ? 'slow' : 'fast';

/** How many more attempts a host may be given. One to try, as long as it is unknown or has only just failed. */
export function roomOf(state: HostState, mostPerHost: number): number {
  if (state.isOpen) return 0;
  const onTrial = state.paceMs === null || state.failures >= breaker.failures;
  const most = laneOf(state) === 'slow' ? Math.ceil(mostPerHost * slowPart) : mostPerHost;
  return Math.max(0, (onTrial ? 1 : most) - state.underWay);
}

/** What a host is given of a worker's free slots. */
export interface Allotment {
  readonly host: HostState;
  readonly lane: Lane;
  readonly room: number;
  readonly slots: number;
}

/** Shares the free slots of each lane out between the hosts that have room; who comes first gets what is left over. */
export function allot(
  states: readonly HostState[],
  lanes: Readonly<Record<Lane, Occupancy>>,
  mostPerHost: number,
): Allotment[] {
  const after = { fast: lanes.fast.copy(), slow: lanes.slow.copy() };
  const wishes = states.map((host) => ({ host, lane: laneOf(host), room: roomOf(host, mostPerHost) }));
  const rivals = (asked: Lane): number =>
    wishes.filter(({ lane, room }) => lane === asked && room > 0).length;
  const shares = {
    fast: Math.ceil(lanes.fast.free / Math.max(1, rivals('fast'))),
    slow: Math.ceil(lanes.slow.free / Math.max(1, rivals('slow'))),
  };
  return wishes.map((wish) => {
    const { organisationId } = wish.host;
    const slots = Math.min(wish.room, shares[wish.lane], after[wish.lane].freeFor(organisationId));
    after[wish.lane].add(organisationId, slots);
    return { ...wish, slots };
  });
}
