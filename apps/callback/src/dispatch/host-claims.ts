import { maxStartMs } from '@gangan/leases';
import type { DueCallback } from './claims.repository.js';
import type { Host, Pool } from './host-limits.js';

/** The callbacks of a host that this worker has claimed: those in flight, and those that wait for a slot. */
export class HostClaims {
  pool: Pool = 'fast';
  /** How many may be in flight here: what other workers have claimed counts against the limit of the host. */
  limit = 0;
  inFlight = 0;
  /** Callbacks are claimed before there is a slot for them. */
  claimsAhead = false;
  hasMore = false;
  private readonly queue: { readonly callback: DueCallback; readonly since: number }[] = [];

  constructor(readonly host: Host) {}

  get waiting(): number {
    return this.queue.length;
  }

  get isEmpty(): boolean {
    return this.inFlight + this.waiting === 0;
  }

  get wantsSlot(): boolean {
    return (this.waiting > 0 || this.hasMore) && (this.inFlight < this.limit || this.isEmpty);
  }

  /** Whether to claim more now: before the waiting ones run out, or when an attempt may start. */
  wantsMore(hasSlot: boolean): boolean {
    if (!this.hasMore) return false;
    if (this.claimsAhead && this.inFlight > 0) return this.waiting <= this.inFlight;
    return hasSlot && this.waiting === 0 && (this.inFlight < this.limit || this.isEmpty);
  }

  add(callbacks: readonly DueCallback[]): void {
    const since = performance.now();
    this.queue.push(...callbacks.map((callback) => ({ callback, since })));
  }

  /** The next callback, if it may start: an attempt that starts too late would outlast its lease. */
  next(): DueCallback | undefined {
    const [first] = this.queue;
    if (!first || this.inFlight >= this.limit || performance.now() - first.since > maxStartMs)
      return undefined;
    this.queue.shift();
    return first.callback;
  }

  /** Removes and returns the callbacks that have waited for `forMs`. */
  takeWaiting(forMs = 0): DueCallback[] {
    const until = performance.now() - forMs;
    const count = this.queue.filter(({ since }) => since <= until).length;
    return this.queue.splice(0, count).map(({ callback }) => callback);
  }
}
