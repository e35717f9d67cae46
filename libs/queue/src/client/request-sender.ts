import { FairSlots, type Release } from '@gangan/protocol';
import type { Backend } from '../backends/backend.js';
import { type Lane, requestJob } from '../lane.js';
import type { QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { PackedRequest } from '../wire/codec.js';
import type { Envelope } from '../wire/envelope.js';
import { Batcher } from './batcher.js';
import { BoundedSlots } from './bounded-slots.js';

export interface OutgoingRequest {
  readonly lane: Lane;
  readonly packed: PackedRequest;
  readonly weight: number;
  /** How many requests of its contract and organisation may be in flight. */
  readonly perOrganisation: number | undefined;
  /** Whether a single request waits behind all others of its lane. */
  readonly lowPriority: boolean;
  /** Called if the job did not reach the broker (`neverSent`), or if it is unknown whether it did. */
  failed(error: unknown, neverSent: boolean): void;
}

/** A request that was sent or waits to be sent, as its caller sees it. */
export class SendingRequest {
  release?: Release;
  sent = false;
  abandoned = false;
  readonly bytes: number;
  readonly weight: number;

  constructor(readonly outgoing: OutgoingRequest) {
    this.bytes = outgoing.packed.parcel.length;
    this.weight = outgoing.weight;
  }

  /** Called when the reply has arrived, which frees the slot of the request. */
  replied(): void {
    this.release?.();
  }

  /** Called when the caller no longer waits. A request that was not sent yet is never sent. */
  abandon(): void {
    this.abandoned = true;
    if (this.outgoing.lane.kind === 'single') this.release?.();
  }
}

/** Puts requests into jobs, lane by lane, and jobs into the broker. */
export class RequestSender {
  private readonly batchers = new Map<string, Batcher<SendingRequest>>();
  private readonly sending = new Set<Promise<void>>();
  private readonly slots: BoundedSlots;
  /** The unanswered single requests, by lane and organisation. */
  private readonly singles = new FairSlots();

  constructor(
    private readonly backend: Backend,
    private readonly tuning: QueueTuning,
    private readonly observer: QueueObserver,
    private readonly seal: (lane: string, packed: PackedRequest[]) => Envelope,
  ) {
    const { maxCollectedRequests: requests, maxCollectedBytes: bytes } = tuning;
    this.slots = new BoundedSlots({ requests, bytes });
  }

  /** @returns `undefined` if there is no room */
  add(outgoing: OutgoingRequest): SendingRequest | undefined {
    const request = new SendingRequest(outgoing);
    const { lane } = outgoing;
    const added = lane.kind === 'single' ? this.addSingle(request) : this.batcherOf(lane.name).add(request);
    return added ? request : undefined;
  }

  /** Makes `idle` wait for something else that is being sent. */
  track(sending: Promise<void>): void {
    const quiet = sending.catch(() => undefined);
    this.sending.add(quiet);
    void quiet.finally(() => this.sending.delete(quiet));
  }

  /** Resolves when everything that was being sent has reached the broker or failed to. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.sending);
  }

  /** A single request waits for no batch. As many may be unanswered as may be collected for batches. */
  private addSingle(request: SendingRequest): boolean {
    if (this.singles.inFlight >= this.tuning.maxCollectedRequests) return false;
    const { packed, perOrganisation } = request.outgoing;
    const { name, organisation } = packed.request;
    if (perOrganisation === undefined || organisation === undefined) {
      this.sendSingle(request, () => undefined);
      return true;
    }
    const key = `${name} ${organisation}`;
    const waiting = {
      bytes: request.bytes,
      start: (release: Release) => {
        this.sendSingle(request, release);
      },
    };
    request.release = () => {
      this.slots.leave(key, waiting);
    };
    return this.slots.join(key, perOrganisation, waiting);
  }

  /** The more unanswered requests an organisation has, the lower the priority of its next: so organisations take turns. */
  private sendSingle(request: SendingRequest, releaseSlot: Release): void {
    const { lane, packed, lowPriority } = request.outgoing;
    const key = `${lane.name} ${packed.request.organisation ?? ''}`;
    const earlier = this.singles.inFlightOf(key);
    const releaseSingle = this.singles.take(key);
    const release = (): void => {
      releaseSingle();
      releaseSlot();
    };
    this.send(lane.name, [request], release, earlier + (lowPriority ? this.tuning.maxCollectedRequests : 0));
  }

  private batcherOf(lane: string): Batcher<SendingRequest> {
    const batcher =
      this.batchers.get(lane) ??
      new Batcher(this.tuning, (batch, release) => {
        this.send(lane, batch, release);
      });
    this.batchers.set(lane, batcher);
    return batcher;
  }

  private send(lane: string, batch: SendingRequest[], release: Release, priority = 0): void {
    for (const request of batch) {
      request.release = release;
      request.sent = true;
    }
    const sending = this.addJob(lane, batch, priority).catch((error: unknown) => {
      // Not at once: while the broker is unreachable, everything collected would fail in one turn of the event loop.
      setImmediate(release);
      const neverSent = error instanceof NeverSentError || this.backend.neverSent(error);
      for (const { outgoing } of batch) outgoing.failed(error, neverSent);
    });
    this.track(sending);
  }

  private async addJob(lane: string, batch: SendingRequest[], priority: number): Promise<void> {
    const queue = await this.backend.queue(lane).catch((error: unknown) => {
      throw new NeverSentError('The lane could not be opened', { cause: error });
    });
    await queue.add(
      'requests',
      this.seal(
        lane,
        batch.map(({ outgoing }) => outgoing.packed),
      ),
      {
        ...requestJob,
        ...(priority > 0 && { priority }),
      },
    );
    this.observer.batchSent(lane, batch.length);
  }
}

class NeverSentError extends Error {}
