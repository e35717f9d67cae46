import type { InboundContent } from '@gangan/contracts';
import { nilUuid } from '@gangan/database';
import type { DataSealer, InboundSealer } from '@gangan/sealing';

/** Opens and seals the content of requests. Once a worker has read it, it is sealed with `DATA_KEY`. */
export class InboundContents {
  constructor(
    private readonly sealer: DataSealer,
    /** Absent if requests that no worker has read do not have to be opened. */
    private readonly received?: InboundSealer,
  ) {}

  seal(content: InboundContent, id: string): Buffer {
    return this.sealer.seal(JSON.stringify(content), placeOf(id));
  }

  /** @throws if it cannot be opened */
  open(sealed: Uint8Array, id: string): InboundContent {
    const text = this.received?.canOpen(sealed)
      ? this.received.open(sealed, id)
      : this.sealer.open(sealed, placeOf(id));
    return JSON.parse(text) as InboundContent;
  }
}

const placeOf = (id: string) =>
  ({ column: 'inbound_request.sealed_content', organisationId: nilUuid, id }) as const;
