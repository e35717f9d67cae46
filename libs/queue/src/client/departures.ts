import type { Backend } from '../backends/backend.js';
import type { Lane } from '../lane.js';
import type { QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { PackedRequest } from '../wire/codec.js';
import type { Envelope } from '../wire/envelope.js';
import { type FreeSlot, Gatherer } from './gatherer.js';
import { Lines, type Waiting } from './lines.js';

export interface Departing {
  readonly lane: Lane;
  readonly packed: PackedRequest;
  readonly weight: number;
  /** How many of its kind and its organisation may be under way at a time. */
  readonly perOrganisation: number | undefined;
  /** The job did not reach the broker, or it is unknown whether it did. */
  failed(error: unknown, neverSent: boolean): void;
}

/** Held by the caller of a request that has left or is about to. */
export interface Departure {
  /** Whether it is on its way: what is not, and is given up, never will be. */
  readonly left: boolean;
  /** The worker has got to its job. */
  answered(): void;
  /** The caller waits no longer. */
  giveUp(): void;
}

class Passenger implements Departure {
  free?: FreeSlot;
  left = false;
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
    if (this.departing.lane.kind === 'single') this.free?.();
  }
}

/** Gone with its answer: nothing of a request's job is worth keeping in the broker. */
const requestJob = { removeOnComplete: true, removeOnFail: false, attempts: 1 };

/** Puts requests into jobs, lane by lane, and jobs into the broker. */
export class Departures {
  private readonly gatherers = new Map<string, Gatherer<Passenger>>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly lines: Lines;
  /** Of those that travel alone: how many of each lane and organisation are unanswered. */
  private readonly alone = new Map<string, number>();
  private aloneInAll = 0;

  constructor(
    private readonly backend: Backend,
    private readonly tuning: QueueTuning,
    private readonly observer: QueueObserver,
    private readonly envelope: (packed: PackedRequest[]) => Envelope,
  ) {
    this.lines = new Lines({
      requests: tuning.maxGatheredRequests,
      bytes: tuning.maxGatheredBytes,
    });
  }

  /** Nothing when there is no room left. */
  add(departing: Departing): Departure | undefined {
    const passenger = new Passenger(departing);
    if (departing.lane.kind !== 'single') {
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
    if (this.aloneInAll >= this.tuning.maxGatheredRequests) return undefined;
    const { packed, perOrganisation } = passenger.departing;
    const { name, organisation } = packed.request;
    if (perOrganisation === undefined || organisation === undefined) {
      this.sendAlone(passenger, () => undefined);
      return passenger;
    }
    const line = `${name} ${organisation}`;
    const waiting: Waiting = {
      bytes: passenger.bytes,
      go: (over) => {
        this.sendAlone(passenger, over);
      },
    };
    passenger.free = () => {
      this.lines.leave(line, waiting);
    };
    return this.lines.join(line, perOrganisation, waiting) ? passenger : undefined;
  }

  /** The more of its organisation are before it, the later it comes: so organisations take turns. */
  private sendAlone(passenger: Passenger, over: FreeSlot): void {
    const { lane, packed } = passenger.departing;
    const key = `${lane.name} ${packed.request.organisation ?? ''}`;
    const before = this.alone.get(key) ?? 0;
    this.alone.set(key, before + 1);
    this.aloneInAll += 1;
    let unanswered = true;
    const release = (): void => {
      if (!unanswered) return;
      unanswered = false;
      this.aloneInAll -= 1;
      const left = (this.alone.get(key) ?? 1) - 1;
      if (left === 0) this.alone.delete(key);
      else this.alone.set(key, left);
      over();
    };
    this.send(lane.name, [passenger], release, before);
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

  private send(lane: string, batch: Passenger[], free: FreeSlot, priority = 0): void {
    for (const passenger of batch) {
      passenger.free = free;
      passenger.left = true;
    }
    const leaving = this.addJob(lane, batch, priority).catch((error: unknown) => {
      // Not at once: while the broker is away, all that has gathered would fail in a single turn of the event loop.
      setImmediate(free);
      const neverSent = error instanceof NeverSent || this.backend.neverSent(error);
      for (const { departing } of batch) departing.failed(error, neverSent);
    });
    this.await(leaving);
  }

  private async addJob(lane: string, batch: Passenger[], priority: number): Promise<void> {
    const queue = await this.backend.queue(lane).catch((error: unknown) => {
      throw new NeverSent('The lane could not be opened', { cause: error });
    });
    await queue.add('requests', this.envelope(batch.map(({ departing }) => departing.packed)), {
      ...requestJob,
      ...(priority > 0 && { priority }),
    });
    this.observer.batchSent(lane, batch.length);
  }
}

class NeverSent extends Error {}
