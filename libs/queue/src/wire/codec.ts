import type { Reply, RequestContext } from '@gangan/protocol';
import type { QueueSealer } from '@gangan/sealing';
import {
  type Envelope,
  jobBound,
  readReplies,
  repliesBound,
  envelopeVersion,
  type WireRequest,
} from './envelope.js';

/** The content of a request. */
export interface Parcel {
  readonly data: object;
  readonly context: RequestContext;
  /** The deadline of the readable part again: here it cannot be altered. Absent on events and replayed requests. */
  readonly deadline?: number;
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

/** Seals and opens requests and replies. */
export class Codec {
  constructor(private readonly sealer: QueueSealer) {}

  sealJob(replyTo: string | undefined, packed: readonly PackedRequest[]): Envelope {
    const requests = packed.map(({ request }) => request);
    const parcels = `[${packed.map(({ parcel }) => parcel).join()}]`;
    const sealed = this.sealer.seal(parcels, jobBound(replyTo, requests));
    return { v: envelopeVersion, ...(replyTo !== undefined && { replyTo }), requests, sealed };
  }

  /** @throws if it was sealed with another key, for other requests, or altered */
  openJob({ replyTo, requests, sealed }: Envelope): Parcel[] {
    const parcels = JSON.parse(this.sealer.open(sealed, jobBound(replyTo, requests))) as Parcel[];
    if (parcels.length !== requests.length)
      throw new Error('The job has a different number of parcels and requests');
    // Senders up to version 0.2 did not seal the deadline.
    if (
      parcels.some(({ deadline }, index) => deadline !== undefined && deadline !== requests[index]?.deadline)
    )
      throw new Error('The deadline of a request was altered');
    return parcels;
  }

  /** The same job without deadlines, so that a worker runs it although its caller is gone, and sends no reply. */
  withoutDeadlines(job: Envelope): Envelope {
    const packed = this.openJob(job).map(({ data, context }, index) => {
      const { id, name, organisation } = job.requests[index] as WireRequest;
      const request = { id, name, ...(organisation !== undefined && { organisation }) };
      return { request, parcel: JSON.stringify({ data, context } satisfies Parcel) };
    });
    return this.sealJob(job.replyTo, packed);
  }

  sealReplies(replyTo: string, packed: readonly PackedReply[]): string {
    const replies = packed.map(({ id, reply }) => `[${JSON.stringify(id)},${reply}]`);
    return this.sealer.seal(`[${replies.join()}]`, repliesBound(replyTo));
  }

  /** @throws if it was sealed with another key, for another address, altered, or has another version */
  openReplies(replyTo: string, sealed: string): [id: string, reply: Reply][] {
    return readReplies(JSON.parse(this.sealer.open(sealed, repliesBound(replyTo))));
  }
}
