import type { Reply, RequestContext } from '@gangan/protocol';
import type { QueueSealer } from '@gangan/sealing';
import { type Envelope, jobBound, readReplies, repliesBound, VERSION, type WireRequest } from './envelope.js';

/** What a request carries once it is opened. */
export interface Parcel {
  readonly data: object;
  readonly context: RequestContext;
}

/** A request ready to travel: what everybody may see of it, and its parcel as JSON. */
export interface PackedRequest {
  readonly request: WireRequest;
  readonly parcel: string;
}

/** An answer ready to travel: the id it is for, and the reply as JSON. */
export interface PackedReply {
  readonly id: string;
  readonly reply: string;
}

/** Turns requests and replies into sealed text and back. */
export class Codec {
  constructor(private readonly sealer: QueueSealer) {}

  sealJob(replyTo: string | undefined, packed: readonly PackedRequest[]): Envelope {
    const requests = packed.map(({ request }) => request);
    const parcels = `[${packed.map(({ parcel }) => parcel).join()}]`;
    const sealed = this.sealer.seal(parcels, jobBound(replyTo, requests));
    return { v: VERSION, ...(replyTo !== undefined && { replyTo }), requests, sealed };
  }

  /** @throws when it was sealed by somebody else, for something else, or altered */
  openJob({ replyTo, requests, sealed }: Envelope): Parcel[] {
    const parcels = JSON.parse(this.sealer.open(sealed, jobBound(replyTo, requests))) as Parcel[];
    if (parcels.length !== requests.length) throw new Error('The job has not as many parcels as requests');
    return parcels;
  }

  sealReplies(replyTo: string, packed: readonly PackedReply[]): string {
    const replies = packed.map(({ id, reply }) => `[${JSON.stringify(id)},${reply}]`);
    return this.sealer.seal(`[${replies.join()}]`, repliesBound(replyTo));
  }

  /** @throws when it was sealed by somebody else, for somebody else, altered, or in words of another version */
  openReplies(replyTo: string, sealed: string): [id: string, reply: Reply][] {
    return readReplies(JSON.parse(this.sealer.open(sealed, repliesBound(replyTo))));
  }
}
