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

/** Claimed deliveries that wait for a call of their provider: bounded, and taken from each organisation in turn. */
export class SubmissionBuffer<T extends Buffered> {
  private readonly room: FairSlots;
  /** Oldest first. */
  private readonly waiting = new Set<T>();
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
    const [oldest] = this.waiting;
    return oldest?.claimedAt;
  }

  /** Reserves room for up to `wanted` deliveries; undefined if the organisation has none. */
  reserve(organisationId: string, wanted: number): Reservation | undefined {
    const count = Math.min(wanted, this.room.freeFor(organisationId));
    return count > 0 ? { count, release: this.room.take(organisationId, count) } : undefined;
  }

  add(delivery: T): void {
    this.waiting.add(delivery);
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
    for (const delivery of taken) this.waiting.delete(delivery);
    return taken;
  }

  /** Removes the deliveries that were claimed before this time. */
  takeClaimedBefore(time: number): T[] {
    const taken: T[] = [];
    for (const delivery of this.waiting) {
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
}
