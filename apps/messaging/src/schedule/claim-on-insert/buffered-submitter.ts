import { setTimeout as sleep } from 'node:timers/promises';
import { maxDeliveriesPerChunk } from '@gangan/contracts';
import { FairSlots } from '@gangan/leases';
import { runWithoutContext } from '@gangan/protocol';
import type { MessageProvider } from '../../providers/message-provider.js';
import type { ReadyDelivery } from '../../submit/delivery-submitter.js';
import type { ProviderLimits } from '../provider-limits.js';
import { type Buffered, type BufferRoom, SubmissionBuffer } from './submission-buffer.js';

/** The most deliveries that one worker keeps in memory for one provider. */
const maxBuffered = 10_000;

/** While calls are in flight, the next one waits this long for more, and once more if any came, unless its chunk is full. */
const gatherMs = 25;
const maxGathers = 2;

const giveBackIntervalMs = 250;

/** A delivery that was claimed when it was inserted. What the provider gets is built when its turn comes. */
export interface NewDelivery extends Buffered {
  readonly id: string;
  build(): ReadyDelivery;
  /** Frees its room in the buffer: it has ended, or another worker may claim it. */
  release(): void;
}

export interface BufferedSubmitterOptions {
  readonly provider: MessageProvider;
  readonly limits: ProviderLimits;
  /** A delivery that has waited for longer after its claim is given back instead of submitted. */
  readonly bufferMs: number;
  /** Whether the provider gets deliveries; otherwise they are given back, and may go to another one. */
  readonly isUp: () => boolean;
  readonly onError: (error: unknown) => void;
  /** This and `giveBack` never fail. */
  readonly submit: (provider: MessageProvider, deliveries: readonly NewDelivery[]) => Promise<void>;
  readonly giveBack: (deliveries: readonly NewDelivery[]) => Promise<void>;
}

/** Submits claimed deliveries of many organisations to one provider, in chunks. */
export class BufferedSubmitter {
  private readonly buffer: SubmissionBuffer<NewDelivery>;
  private readonly inFlight = new Set<Promise<void>>();
  /** The scheduler, which is fair to organisations, keeps half of the calls and goes on beside slow ones. */
  private readonly calls: FairSlots;
  private readonly callSize: number;
  private isSubmitting = false;
  private isStopped = false;

  constructor(private readonly options: BufferedSubmitterOptions) {
    const { provider, limits } = options;
    const perSecond = limits.configuredPerSecond(provider);
    this.callSize = Math.min(maxDeliveriesPerChunk, provider.batchSize ?? Infinity);
    this.calls = new FairSlots({ total: limits.maxBufferedCalls(provider) });
    // No more than the provider takes in a second.
    this.buffer = new SubmissionBuffer(perSecond === 0 ? maxBuffered : Math.min(maxBuffered, perSecond));
  }

  get provider(): MessageProvider {
    return this.options.provider;
  }

  /**
   * Reserves room for new deliveries, or for some of them; undefined if there is none, or if the provider is too slow for
   * more: others have waited for half of the time after which they are given back.
   */
  reserve(organisationId: string, deliveries: number): BufferRoom | undefined {
    const { oldest = Infinity } = this.buffer;
    return performance.now() - oldest > this.options.bufferMs / 2
      ? undefined
      : this.buffer.reserve(organisationId, deliveries);
  }

  add(delivery: NewDelivery): void {
    this.buffer.add(delivery);
    if (this.isSubmitting) return;
    runWithoutContext(() => {
      this.track(this.submitAll());
    });
  }

  /**
   * Gives back what has waited for too long: other workers may be faster, and the schedule is fair to all organisations.
   */
  private giveBackLate(): Promise<void> {
    return this.giveBackBefore(performance.now() - this.options.bufferMs);
  }

  /** Gives back what waits, also of messages that are being stored, and ends what is in flight. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.giveBackBefore(Infinity);
    await this.buffer.idle();
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  private async submitAll(): Promise<void> {
    this.isSubmitting = true;
    const late = setInterval(() => {
      this.track(this.giveBackLate());
    }, giveBackIntervalMs).unref();
    try {
      while (this.buffer.size > 0) await this.submitNext();
    } catch (error) {
      this.options.onError(error);
      await this.giveBackBefore(Infinity);
    } finally {
      clearInterval(late);
      this.isSubmitting = false;
    }
  }

  private async submitNext(): Promise<void> {
    const { provider, limits, isUp, submit } = this.options;
    while (this.calls.free === 0) await this.calls.released();
    await this.gather();
    if (this.isStopped || !isUp()) await this.giveBackBefore(Infinity);
    const wanted = Math.min(this.buffer.size, this.callSize);
    if (wanted === 0) return;
    const permit = await limits.acquire(provider, 'sms', wanted);
    await (isUp() ? this.giveBackLate() : this.giveBackBefore(Infinity));
    const chunk = this.buffer.take(permit.recipients);
    const submitted = chunk.length > 0 ? submit(provider, chunk) : Promise.resolve();
    const release = this.calls.take(provider.name);
    this.track(
      submitted.finally(() => {
        permit.release();
        release();
      }),
    );
  }

  /** The messages of a batch are added in one turn of the event loop. */
  private async gather(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    let before = 0;
    for (let gathers = 0; gathers < maxGathers && this.isWorthGathering(before); gathers += 1) {
      before = this.buffer.size;
      await sleep(gatherMs);
    }
  }

  /** @param before how many waited at the last look */
  private isWorthGathering(before: number): boolean {
    const { size } = this.buffer;
    return this.calls.inFlight > 0 && size > before && size < this.callSize;
  }

  private async giveBackBefore(time: number): Promise<void> {
    const late = this.buffer.takeClaimedBefore(time);
    if (late.length > 0) await this.options.giveBack(late);
  }

  private track(work: Promise<void>): void {
    this.inFlight.add(work);
    void work.finally(() => this.inFlight.delete(work));
  }
}
