import type { Backend } from '../backends/backend.js';
import type { Lane } from '../lane.js';
import type { QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { Envelope, WireRequest } from '../wire/envelope.js';
import { type FreeSlot, Gatherer } from './gatherer.js';

export interface Departing {
  readonly lane: Lane;
  readonly request: WireRequest;
  readonly bytes: number;
  readonly weight: number;
  /** The job did not reach the broker, or it is unknown whether it did. */
  readonly failed: (error: unknown, neverSent: boolean) => void;
}

/** Held by the caller: tells its job's slot that the worker has got to it. */
export interface Departure {
  answered(): void;
}

class Passenger implements Departure {
  free?: FreeSlot;
  readonly bytes: number;
  readonly weight: number;

  constructor(readonly departing: Departing) {
    this.bytes = departing.bytes;
    this.weight = departing.weight;
  }

  answered(): void {
    this.free?.();
  }
}

/** Gone with its answer: nothing of a request's job is worth keeping in the broker. */
const requestJob = { removeOnComplete: true, removeOnFail: false, attempts: 1 };

/** Puts requests into jobs, lane by lane, and jobs into the broker. */
export class Departures {
  private readonly gatherers = new Map<string, Gatherer<Passenger>>();
  private readonly leaving = new Set<Promise<void>>();

  constructor(
    private readonly backend: Backend,
    private readonly tuning: QueueTuning,
    private readonly observer: QueueObserver,
    private readonly envelope: (requests: WireRequest[]) => Envelope,
  ) {}

  /** Nothing when there is no room left. */
  add(departing: Departing): Departure | undefined {
    const passenger = new Passenger(departing);
    if (departing.lane.kind === 'alone') {
      this.send(departing.lane.name, [passenger], () => undefined);
      return passenger;
    }
    return this.gathererOf(departing.lane.name).add(passenger) ? passenger : undefined;
  }

  /** Resolves when everything that was leaving has reached the broker or failed to. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.leaving);
  }

  private gathererOf(lane: string): Gatherer<Passenger> {
    let gatherer = this.gatherers.get(lane);
    if (!gatherer) {
      gatherer = new Gatherer(this.tuning, (batch, free) => {
        this.send(lane, batch, free);
      });
      this.gatherers.set(lane, gatherer);
    }
    return gatherer;
  }

  private send(lane: string, batch: Passenger[], free: FreeSlot): void {
    for (const passenger of batch) passenger.free = free;
    const leaving = this.addJob(lane, batch).catch((error: unknown) => {
      free();
      const neverSent = this.backend.neverSent(error);
      for (const { departing } of batch) departing.failed(error, neverSent);
    });
    this.leaving.add(leaving);
    void leaving.finally(() => this.leaving.delete(leaving));
  }

  private async addJob(lane: string, batch: Passenger[]): Promise<void> {
    const queue = await this.backend.queue(lane);
    await queue.add('requests', this.envelope(batch.map(({ departing }) => departing.request)), requestJob);
    this.observer.batchSent(lane, batch.length);
  }
}
