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
    return parcels;
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
