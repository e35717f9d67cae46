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
    const opened = this.open(job);
    if (opened.parked !== undefined) throw new UnrecoverableError(opened.parked);
    return opened;
  }

  private open(job: Job): OpenedJob & { readonly parked?: string } {
    try {
      const envelope = readEnvelope(job.data);
      const parcels = envelope.parked === undefined ? this.codec.openJob(envelope) : [];
      const members = parcels.map((parcel, index) => ({
        request: envelope.requests[index] as WireRequest,
        parcel,
      }));
      return { ...envelope, members };
    } catch (error) {
      const [lane, reason] = [this.lane, String(error)];
      this.observer.parked(lane);
      this.logger.error({ lane, job: job.id, reason }, 'job parked: it cannot be read');
      throw new UnrecoverableError(reason);
    }
  }
}
