import { FairSlots, halfOfAvailable, type Release } from '@gangan/leases';

/** A claimed delivery that waits in memory. */
export interface Buffered {
  readonly organisationId: string;
  /** By `performance.now()`. */
  readonly claimedAt: number;
}

/** Room for deliveries that are about to be claimed, until the release. */
export interface Reservation {
  readonly count: number;
  readonly release: Release;
}

/** Until it is measured. */
const firstPace = 1_000;
/** After the provider was too slow, the buffer holds only what it takes at the measured pace, for this long. */
const slowMs = 60_000;
/** A delivery that fewer waited for says little about the pace. */
const minAhead = 100;
const paceWeight = 1 / 8;

/**
 * Claimed deliveries that wait for a call of their provider: bounded, and taken from each organisation in turn. It measures
 * how many leave in a second, while more of them wait than one call takes.
 */
export class SubmissionBuffer<T extends Buffered> {
  private readonly room: FairSlots;
  /** Oldest first, with how many waited before each. */
  private readonly waiting = new Map<T, number>();
  private pace = firstPace;
  private slowUntil = -Infinity;
  /** The organisation whose turn is next comes first; the deliveries of each, oldest first. */
  private readonly turns = new Map<string, T[]>();

  constructor(max: number) {
    this.room = new FairSlots({ total: max, perKey: halfOfAvailable });
  }

  get size(): number {
    return this.waiting.size;
  }

  /** When the delivery that has waited longest was claimed. */
  get oldest(): number | undefined {
    const [oldest] = this.waiting.keys();
    return oldest?.claimedAt;
  }

  /** Deliveries that leave in a second; no limit unless deliveries have lately waited for too long. */
  get perSecond(): number {
    return performance.now() < this.slowUntil ? this.pace : Infinity;
  }

  /**
   * Reserves room for up to `wanted` deliveries; undefined if the organisation has none.
   * @param most of all organisations together
   */
  reserve(organisationId: string, wanted: number, most = Infinity): Reservation | undefined {
    const own = this.room.inFlightOf(organisationId);
    const available = Math.max(0, most - this.room.inFlight + own);
    const count = Math.min(wanted, this.room.freeFor(organisationId), halfOfAvailable(available) - own);
    return count > 0 ? { count, release: this.room.take(organisationId, count) } : undefined;
  }

  add(delivery: T): void {
    this.waiting.set(delivery, this.waiting.size);
    const own = this.turns.get(delivery.organisationId);
    if (own) own.push(delivery);
    else this.turns.set(delivery.organisationId, [delivery]);
  }

  /** Waits until all room is free. */
  idle(): Promise<void> {
    return this.room.idle();
  }

  /** Removes up to `max` deliveries, one of each organisation in turn. */
  take(max: number): T[] {
    const taken: T[] = [];
    for (const [organisationId, own] of this.turns) {
      if (taken.length === max) break;
      const next = own.shift();
      // An entry that is set again moves to the end, where this loop finds it again.
      this.turns.delete(organisationId);
      if (own.length > 0) this.turns.set(organisationId, own);
      if (next) taken.push(next);
    }
    this.measure(taken);
    for (const delivery of taken) this.waiting.delete(delivery);
    return taken;
  }

  /** Deliveries have waited for too long. */
  slowDown(): void {
    this.pace /= 2;
    this.slowUntil = performance.now() + slowMs;
  }

  /** Removes the deliveries that were claimed before this time. */
  takeClaimedBefore(time: number): T[] {
    const taken: T[] = [];
    for (const delivery of this.waiting.keys()) {
      if (delivery.claimedAt >= time) break;
      taken.push(delivery);
    }
    for (const delivery of taken) {
      this.waiting.delete(delivery);
      const own = this.turns.get(delivery.organisationId) ?? [];
      own.splice(own.indexOf(delivery), 1);
      if (own.length === 0) this.turns.delete(delivery.organisationId);
    }
    return taken;
  }

  private measure(taken: readonly T[]): void {
    const now = performance.now();
    for (const delivery of taken.slice(-1)) {
      const [ahead, seconds] = [this.waiting.get(delivery) ?? 0, (now - delivery.claimedAt) / 1_000];
      if (ahead >= minAhead && seconds > 0) this.pace += (ahead / seconds - this.pace) * paceWeight;
    }
  }
}
