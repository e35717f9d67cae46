import { FairSlots, halfOfAvailable, type Release, TurnQueue } from '@gangan/leases';

/** A claimed delivery that waits in memory. */
export interface Buffered {
  readonly organisationId: string;
  /** The time of the claim, by `performance.now()`. */
  readonly claimedAt: number;
}

/** Room for deliveries that are about to be claimed, until the release. */
export interface BufferRoom {
  readonly count: number;
  readonly release: Release;
}

/** Claimed deliveries that wait for a call of their provider: bounded, and taken from each organisation in turn. */
export class SubmissionBuffer<T extends Buffered> {
  private readonly room: FairSlots;
  /** Oldest first. */
  private readonly waiting = new Set<T>();
  private readonly turns = new TurnQueue<T>(({ organisationId }) => organisationId);

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

  /** Reserves room for up to `wanted` deliveries; undefined if there is none for the organisation. */
  reserve(organisationId: string, wanted: number): BufferRoom | undefined {
    const count = Math.min(wanted, this.room.freeFor(organisationId));
    return count > 0 ? { count, release: this.room.take(organisationId, count) } : undefined;
  }

  add(delivery: T): void {
    this.waiting.add(delivery);
    this.turns.add(delivery);
  }

  /** Waits until all room is free. */
  idle(): Promise<void> {
    return this.room.idle();
  }

  /** Removes up to `max` deliveries, one of each organisation in turn. */
  take(max: number): T[] {
    const taken = this.turns.take(max);
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
      this.turns.delete(delivery);
    }
    return taken;
  }
}
