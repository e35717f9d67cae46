import { inUseMs, type LastCall } from './bucket-store.js';

/** When the callers of a bucket last took tokens: the latest caller, and the latest other one. */
export class LastCallers {
  private latest: string | undefined;
  private latestAt = -Infinity;
  private otherAt = -Infinity;

  /** Notes a call. @returns whether another caller is in use */
  note(caller: string, now: number): boolean {
    const otherAt = caller === this.latest ? this.otherAt : this.latestAt;
    this.merge(caller, now, -Infinity);
    return now - otherAt <= inUseMs;
  }

  /** Returns the last callers; undefined if there was no call yet. */
  report(now: number): LastCall | undefined {
    if (this.latest === undefined) return undefined;
    const otherAgoMs = this.otherAt === -Infinity ? undefined : now - this.otherAt;
    return { caller: this.latest, agoMs: now - this.latestAt, otherAgoMs };
  }

  /** Adds what other processes know. */
  receive({ caller, agoMs, otherAgoMs = Infinity }: LastCall, now: number): void {
    this.merge(caller, now - agoMs, now - otherAgoMs);
  }

  isInUse(now: number): boolean {
    return now - this.latestAt <= inUseMs;
  }

  private merge(caller: string, at: number, otherAt: number): void {
    const earlier = caller === this.latest ? -Infinity : Math.min(at, this.latestAt);
    this.otherAt = Math.max(this.otherAt, otherAt, earlier);
    if (at >= this.latestAt) this.latest = caller;
    this.latestAt = Math.max(this.latestAt, at);
  }
}
