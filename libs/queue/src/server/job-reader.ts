import { type Job, UnrecoverableError } from 'bullmq';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { Codec, Parcel } from '../wire/codec.js';
import { readEnvelope, type WireRequest } from '../wire/envelope.js';

/** A request of a job, opened. */
export interface Member {
  readonly request: WireRequest;
  readonly parcel: Parcel;
}

export interface OpenedJob {
  readonly replyTo?: string;
  readonly members: readonly Member[];
}

/** Opens jobs. A job that cannot be read is parked: it may come from an older, a newer or a hostile sender. */
export class JobReader {
  constructor(
    private readonly lane: string,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  /** @throws UnrecoverableError, so that BullMQ keeps the job in its failed set */
  read(job: Job): OpenedJob {
    const { replyTo, requests, parcels, parked } = this.open(job);
    if (parked !== undefined) throw new UnrecoverableError(parked);
    const members = requests.flatMap((request, index) => {
      const parcel = parcels[index];
      return parcel ? [{ request, parcel }] : [];
    });
    return { ...(replyTo !== undefined && { replyTo }), members };
  }

  private open(job: Job): ReturnType<typeof readEnvelope> & { parcels: Parcel[] } {
    try {
      const envelope = readEnvelope(job.data);
      return { ...envelope, parcels: envelope.parked === undefined ? this.codec.openJob(envelope) : [] };
    } catch (error) {
      this.observer.parked(this.lane);
      this.logger.error(
        { lane: this.lane, job: job.id, reason: String(error) },
        'job parked: it cannot be read',
      );
      throw new UnrecoverableError(String(error));
    }
  }
}
