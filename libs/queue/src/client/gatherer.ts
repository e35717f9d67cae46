import type { QueueTuning } from '../settings.js';

/** A request on its way out, with what it takes of a batch's room. */
export interface Outgoing {
  readonly bytes: number;
  readonly weight: number;
  /** Its caller has given up: it need not leave any more. */
  readonly gone: boolean;
}

/** Called by whoever learns that a job is being answered, or never will be. */
export type FreeSlot = () => void;

/** How many times its first length the wait for an unanswered job may grow to. */
const MAX_VALVE = 64;

/**
 * Adaptive batching, for one lane. While fewer than `inFlightJobs` are unanswered, what arrives leaves at once;
 * while they are out, new requests gather; when one is answered, all that gathered leaves as one job.
 * So a batch is one request at low load and dozens at high load, and nothing ever waits on a timer.
 */
export class Gatherer<T extends Outgoing> {
  private gathered: T[] = [];
  private bytes = 0;
  private inFlight = 0;
  private scheduled = false;
  private valve = 1;

  constructor(
    private readonly tuning: QueueTuning,
    private readonly send: (batch: T[], free: FreeSlot) => void,
  ) {}

  /** `false` when there is no room left: the caller is to be turned away. */
  add(item: T): boolean {
    const { maxGatheredRequests, maxGatheredBytes } = this.tuning;
    if (this.gathered.length >= maxGatheredRequests || this.bytes + item.bytes > maxGatheredBytes)
      return false;
    this.gathered.push(item);
    this.bytes += item.bytes;
    this.schedule();
    return true;
  }

  /** Requests that arrive in one turn of the event loop leave together. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.dispatchGathered();
    });
  }

  private dispatchGathered(): void {
    this.forgetGone();
    while (this.gathered.length > 0 && this.inFlight < this.tuning.inFlightJobs) this.dispatch(this.take());
  }

  private dispatch(batch: T[]): void {
    this.inFlight += 1;
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      clearTimeout(timer);
      this.inFlight -= 1;
      this.dispatchGathered();
    };
    // A worker that died with the batch must not stop the requests behind it; but where none answers at all, ever
    // fewer are let go, so that the broker does not fill and callers are turned away.
    const timer = setTimeout(() => {
      this.valve = Math.min(2 * this.valve, MAX_VALVE);
      release();
    }, this.valve * this.tuning.slotTimeoutMs).unref();
    this.send(batch, () => {
      this.valve = 1;
      release();
    });
  }

  private forgetGone(): void {
    if (!this.gathered.some(({ gone }) => gone)) return;
    this.gathered = this.gathered.filter(({ gone }) => !gone);
    this.bytes = this.gathered.reduce((total, { bytes }) => total + bytes, 0);
  }

  /** The longest run from the front that fits one job; a request too large for any travels alone. */
  private take(): T[] {
    const { maxBatchRequests, maxBatchBytes, maxBatchWeight } = this.tuning;
    let bytes = 0;
    let weight = 0;
    let count = 0;
    for (const item of this.gathered) {
      bytes += item.bytes;
      weight += item.weight;
      const full = count >= maxBatchRequests || bytes > maxBatchBytes || weight > maxBatchWeight;
      if (full && count > 0) break;
      count += 1;
    }
    const batch = this.gathered.splice(0, count);
    for (const item of batch) this.bytes -= item.bytes;
    return batch;
  }
}
