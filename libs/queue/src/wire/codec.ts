import type { Reply, RequestContext } from '@gangan/protocol';
import { QueueSealer, type QueueSealerUse } from '@gangan/sealing';
import { printLaneSender, type LaneSender, type QueueKeys } from '../keys/queue-keys.js';
import {
  type Envelope,
  jobBound,
  readReplies,
  repliesBound,
  envelopeVersion,
  type WireRequest,
} from './envelope.js';

export interface Parcel {
  readonly data: object;
  readonly context: RequestContext;
}

/** A request that can be sealed: its readable part, and its parcel as JSON. */
export interface PackedRequest {
  readonly request: WireRequest;
  readonly parcel: string;
}

/** A reply that can be sealed: the id of its request, and the reply as JSON. */
export interface PackedReply {
  readonly id: string;
  readonly reply: string;
}

/** Who sent a job to which lane. */
export interface JobOrigin extends LaneSender {
  /** The address at which the sender waits for replies; absent on events. */
  readonly replyTo?: string;
}

/** Where the replies to the requests of a job go. */
export type ReplyTarget = Required<JobOrigin>;

export const expectsReplies = (origin: JobOrigin): origin is ReplyTarget => origin.replyTo !== undefined;

/** Seals and opens requests and replies, with the key of their sender and lane. */
export class Codec {
  private readonly sealers = new Map<string, QueueSealer>();

  /** @param app whose process this is */
  constructor(
    private readonly app: string,
    private readonly keys: QueueKeys,
  ) {}

  sealJob(origin: JobOrigin, packed: readonly PackedRequest[]): Envelope {
    const { sender, replyTo } = origin;
    const requests = packed.map(({ request }) => request);
    const parcels = `[${packed.map(({ parcel }) => parcel).join()}]`;
    const sealed = this.sealer('jobs', origin).seal(parcels, jobBound(origin, requests));
    return { v: envelopeVersion, sender, ...(replyTo !== undefined && { replyTo }), requests, sealed };
  }

  /**
   * @param lane from which the job was taken
   * @throws if its sender or its readable part is not the one that was sealed, or if this process does not have the key
   */
  openJob(lane: string, { sender, replyTo, requests, sealed }: Envelope): Parcel[] {
    const origin = { sender, lane, ...(replyTo !== undefined && { replyTo }) };
    const text = this.sealer('jobs', origin).open(sealed, jobBound(origin, requests));
    const parcels = JSON.parse(text) as Parcel[];
    if (parcels.length !== requests.length)
      throw new Error('The job has a different number of parcels and requests');
    return parcels;
  }

  /** The same job without deadlines, so that a worker runs it although its caller is gone, and sends no reply. */
  withoutDeadlines(lane: string, job: Envelope): Envelope {
    const packed = this.openJob(lane, job).map((parcel, index) => {
      const { id, name, organisation } = job.requests[index] as WireRequest;
      const request = { id, name, ...(organisation !== undefined && { organisation }) };
      return { request, parcel: JSON.stringify(parcel) };
    });
    const { sender, replyTo } = job;
    return this.sealJob({ sender, lane, ...(replyTo !== undefined && { replyTo }) }, packed);
  }

  /** The lane stays readable: it says with which key the replies are sealed. */
  sealReplies(target: ReplyTarget, packed: readonly PackedReply[]): string {
    const replies = packed.map(({ id, reply }) => `[${JSON.stringify(id)},${reply}]`);
    const sealed = this.sealer('replies', target).seal(`[${replies.join()}]`, repliesBound(target));
    return `${target.lane} ${sealed}`;
  }

  /**
   * @param replyTo the address of this process
   * @returns the lane whose worker sealed the replies, and the replies by the id of their request
   * @throws if they were sealed with another key, for another address, altered, or have another version
   */
  openReplies(
    replyTo: string,
    payload: string,
  ): { readonly lane: string; readonly replies: [id: string, reply: Reply][] } {
    const [lane = '', sealed = ''] = payload.split(' ', 2);
    const target = { sender: this.app, lane, replyTo };
    const text = this.sealer('replies', target).open(sealed, repliesBound(target));
    return { lane, replies: readReplies(JSON.parse(text)) };
  }

  private sealer(use: QueueSealerUse, { sender, lane }: LaneSender): QueueSealer {
    const name = `${use} ${printLaneSender({ sender, lane })}`;
    const known = this.sealers.get(name);
    if (known) return known;
    const keys = this.keys.of(sender, lane);
    if (keys.length === 0) throw new Error(this.explainMissing({ sender, lane }));
    const sealer = new QueueSealer(keys, use);
    this.sealers.set(name, sealer);
    return sealer;
  }

  /** An app starts only with all keys that its version needs. */
  private explainMissing({ sender, lane }: LaneSender): string {
    const name = printLaneSender({ sender, lane });
    return `QUEUE_KEYS of ${this.app} has no key for ${name}: ${sender} does not send to ${lane} in this version`;
  }
}
