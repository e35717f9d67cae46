import type { InboundContent } from '@gangan/contracts';
import { nobodysId } from '@gangan/database';
import type { DataSealer, InboundSealer } from '@gangan/sealing';

/** What providers sent is sealed with `DATA_KEY` once a worker has read it, like everything that is kept. */
export class InboundContents {
  constructor(
    private readonly sealer: DataSealer,
    /** Absent if what no worker has read yet need not be opened. */
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
  ({ column: 'inbound_request.sealed_content', organisationId: nobodysId, id }) as const;
