import type { Release } from '@gangan/protocol';
import type { QueueTuning } from '../settings.js';

/** A request that waits to be sent, with what it takes of a batch's capacity. */
export interface BatchItem {
  readonly bytes: number;
  readonly weight: number;
  /** True if the caller no longer waits; the request is then not sent. */
  readonly abandoned: boolean;
}

/**
 * Limits how long the timeout of an unanswered job grows: up to 1.5 s, which is less than any deadline. Workers drop
 * jobs whose deadline has passed, so when they are back there must be a job that is still in time.
 */
const maxTimeoutFactor = 6;

/** A batch that is not answered after this time, such as one with a locked wallet, no longer delays a few other requests. */
const slowBatchMs = 50;

/**
 * Adaptive batching for one lane. While nothing or a single request is unanswered, a request is sent at once. Otherwise
 * requests are collected, and sent as one job when a job is answered, or beside a batch in flight when they are
 * `minBesideBatch`; at most `inFlightJobs` are unanswered. So a batch has one request at low load and dozens at high load, and
 * no request of a quiet lane waits.
 */
export class Batcher<T extends BatchItem> {
  private collected: T[] = [];
  private bytes = 0;
  private readonly inFlight = new Set<readonly T[]>();
  /** The batches in flight that must be answered before a few more requests are sent. */
  private readonly awaited = new Set<readonly T[]>();
  private scheduled = false;
  private timeoutFactor = 1;

  constructor(
    private readonly tuning: QueueTuning,
    private readonly send: (batch: T[], release: Release) => void,
  ) {}

  /** @returns `false` if there is no room: the request has to be refused */
  add(item: T): boolean {
    const { maxCollectedRequests, maxCollectedBytes } = this.tuning;
    if (this.collected.length >= maxCollectedRequests || this.bytes + item.bytes > maxCollectedBytes)
      return false;
    this.collected.push(item);
    this.bytes += item.bytes;
    this.sendSoon();
    return true;
  }

  /** Sends the requests of one turn of the event loop together. */
  private sendSoon(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.sendCollected();
    });
  }

  private sendCollected(): void {
    this.dropAbandoned();
    while (this.collected.length > 0 && this.inFlight.size < this.tuning.inFlightJobs) {
      const count = this.countNext();
      const isFull = count < this.collected.length;
      if (!isFull && count < this.tuning.minBesideBatch && this.awaited.size > 0) return;
      this.sendBatch(this.take(count));
    }
  }

  private sendBatch(batch: T[]): void {
    this.inFlight.add(batch);
    // The job of a single request delays no other.
    if (batch.length > 1) this.awaited.add(batch);
    let held = true;
    const slow = setTimeout(() => {
      if (this.awaited.delete(batch)) this.sendCollected();
    }, slowBatchMs).unref();
    const release = (): void => {
      if (!held) return;
      held = false;
      clearTimeout(timer);
      clearTimeout(slow);
      this.inFlight.delete(batch);
      this.awaited.delete(batch);
      this.sendCollected();
    };
    // A worker that died with a batch must not block later requests. If no job is answered at all, the timeout doubles each
    // time, so that requests are rejected here instead of accumulating in the broker.
    const timer = setTimeout(() => {
      this.timeoutFactor = Math.min(2 * this.timeoutFactor, maxTimeoutFactor);
      release();
    }, this.timeoutFactor * this.tuning.slotTimeoutMs).unref();
    this.send(batch, () => {
      this.timeoutFactor = 1;
      release();
    });
  }

  private dropAbandoned(): void {
    if (!this.collected.some(({ abandoned }) => abandoned)) return;
    this.collected = this.collected.filter(({ abandoned }) => !abandoned);
    this.bytes = this.collected.reduce((total, { bytes }) => total + bytes, 0);
  }

  /** Counts the collected requests that fit into one job. A request that is too large for any job is sent alone. */
  private countNext(): number {
    const { maxBatchRequests, maxBatchBytes, maxBatchWeight } = this.tuning;
    let bytes = 0;
    let weight = 0;
    let count = 0;
    for (const item of this.collected) {
      bytes += item.bytes;
      weight += item.weight;
      const full = count >= maxBatchRequests || bytes > maxBatchBytes || weight > maxBatchWeight;
      if (full && count > 0) break;
      count += 1;
    }
    return count;
  }

  private take(count: number): T[] {
    const batch = this.collected.splice(0, count);
    for (const item of batch) this.bytes -= item.bytes;
    return batch;
  }
}
