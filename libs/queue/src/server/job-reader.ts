import { type Job, UnrecoverableError } from 'bullmq';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { Codec, JobOrigin, Parcel } from '../wire/codec.js';
import { type Envelope, readEnvelope, type WireRequest } from '../wire/envelope.js';

/** A request of a job, opened. */
export interface Member {
  readonly request: WireRequest;
  readonly parcel: Parcel;
}

export interface OpenedJob {
  readonly origin: JobOrigin;
  readonly members: readonly Member[];
}

/** Which apps may send a contract; `undefined` if it has no handler here. */
export type SendersOf = (contract: string) => readonly string[] | undefined;

/** Opens jobs. A job that cannot be read is parked: it may come from an older, a newer or a hostile sender. */
export class JobReader {
  constructor(
    private readonly lane: string,
    private readonly codec: Codec,
    private readonly sendersOf: SendersOf,
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
      const { sender, replyTo, parked, requests } = envelope;
      const origin = { sender, lane: this.lane, ...(replyTo !== undefined && { replyTo }) };
      if (parked !== undefined) return { origin, parked, members: [] };
      const members = this.openMembers(envelope);
      for (const { name } of requests) this.assertSender(sender, name);
      return { origin, members };
    } catch (error) {
      const [lane, reason] = [this.lane, String(error)];
      this.observer.parked(lane);
      this.logger.error({ lane, job: job.id, reason }, 'job parked: it cannot be read');
      throw new UnrecoverableError(reason);
    }
  }

  private openMembers(envelope: Envelope): Member[] {
    return this.codec.openJob(this.lane, envelope).map((parcel, index) => ({
      request: envelope.requests[index] as WireRequest,
      parcel,
    }));
  }

  /** An app has the key of a whole lane, but may send only the contracts that name it as a sender. */
  private assertSender(sender: string, contract: string): void {
    const senders = this.sendersOf(contract);
    if (senders && !senders.includes(sender)) throw new Error(`${sender} may not send ${contract}`);
  }
}
