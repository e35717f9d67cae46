import type { Reply, RequestContext } from '@gangan/protocol';
import { replyBound, requestBound, type WireReply, type WireRequest } from './envelope.js';
import type { Sealer } from './sealer.js';

/** What a request carries once it is opened. */
export interface Parcel {
  readonly data: object;
  readonly context: RequestContext;
}

/** Turns parcels and replies into sealed text and back. */
export class Codec {
  constructor(private readonly sealer: Sealer) {}

  sealRequest(replyTo: string | undefined, id: string, name: string, parcel: Parcel): string {
    return this.sealer.seal(JSON.stringify(parcel), requestBound(replyTo, id, name));
  }

  openRequest(replyTo: string | undefined, { id, name, sealed }: WireRequest): Parcel {
    return JSON.parse(this.sealer.open(sealed, requestBound(replyTo, id, name))) as Parcel;
  }

  sealReply(replyTo: string, id: string, reply: Reply): WireReply {
    return [id, this.sealer.seal(JSON.stringify(reply), replyBound(replyTo, id))];
  }

  openReply(replyTo: string, [id, sealed]: WireReply): Reply {
    return JSON.parse(this.sealer.open(sealed, replyBound(replyTo, id))) as Reply;
  }
}
