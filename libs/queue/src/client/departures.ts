import type { Backend } from '../backends/backend.js';
import type { Lane } from '../lane.js';
import type { QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { PackedRequest } from '../wire/codec.js';
import type { Envelope } from '../wire/envelope.js';
import { type FreeSlot, Gatherer } from './gatherer.js';

export interface Departing {
  readonly lane: Lane;
  readonly packed: PackedRequest;
  readonly weight: number;
  /** The job did not reach the broker, or it is unknown whether it did. */
  readonly failed: (error: unknown, neverSent: boolean) => void;
}

/** Held by the caller of a request that has left or is about to. */
export interface Departure {
  /** The worker has got to its job. */
  answered(): void;
  /** The caller waits no longer. */
  giveUp(): void;
}

class Passenger implements Departure {
  free?: FreeSlot;
  gone = false;
  readonly bytes: number;
  readonly weight: number;

  constructor(readonly departing: Departing) {
    this.bytes = departing.packed.parcel.length;
    this.weight = departing.weight;
  }

  answered(): void {
    this.free?.();
  }

  giveUp(): void {
    this.gone = true;
  }
}

/** Gone with its answer: nothing of a request's job is worth keeping in the broker. */
const requestJob = { removeOnComplete: true, removeOnFail: false, attempts: 1 };

/** Puts requests into jobs, lane by lane, and jobs into the broker. */
export class Departures {
  private readonly gatherers = new Map<string, Gatherer<Passenger>>();
  private readonly leaving = new Set<Promise<void>>();
  private alone = 0;

  constructor(
    private readonly backend: Backend,
    private readonly tuning: QueueTuning,
    private readonly observer: QueueObserver,
    private readonly envelope: (packed: PackedRequest[]) => Envelope,
  ) {}

  /** Nothing when there is no room left. */
  add(departing: Departing): Departure | undefined {
    const passenger = new Passenger(departing);
    if (departing.lane.kind !== 'alone') {
      return this.gathererOf(departing.lane.name).add(passenger) ? passenger : undefined;
    }
    return this.addAlone(passenger);
  }

  /** Counts something else that is leaving, so that `settled` waits for it. */
  await(leaving: Promise<void>): void {
    const quiet = leaving.catch(() => undefined);
    this.leaving.add(quiet);
    void quiet.finally(() => this.leaving.delete(quiet));
  }

  /** Resolves when everything that was leaving has reached the broker or failed to. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.leaving);
  }

  /** Alone it waits for no slot, but not without bound: as many as may gather may be unanswered. */
  private addAlone(passenger: Passenger): Departure | undefined {
    if (this.alone >= this.tuning.maxGatheredRequests) return undefined;
    this.alone += 1;
    let waiting = true;
    const release = (): void => {
      if (waiting) this.alone -= 1;
      waiting = false;
    };
    this.send(passenger.departing.lane.name, [passenger], release);
    return { answered: release, giveUp: release };
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
      const neverSent = error instanceof NeverSent || this.backend.neverSent(error);
      for (const { departing } of batch) departing.failed(error, neverSent);
    });
    this.await(leaving);
  }

  private async addJob(lane: string, batch: Passenger[]): Promise<void> {
    const queue = await this.backend.queue(lane).catch((error: unknown) => {
      throw new NeverSent('The lane could not be opened', { cause: error });
    });
    await queue.add('requests', this.envelope(batch.map(({ departing }) => departing.packed)), requestJob);
    this.observer.batchSent(lane, batch.length);
  }
}

class NeverSent extends Error {}
