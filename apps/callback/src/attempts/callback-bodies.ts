import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

interface StoredBody {
  readonly id: string;
  readonly organisationId: string;
  readonly body: string;
  readonly sealedBody: Uint8Array | null;
}

/** Opens the bodies of callbacks, some of which are sealed because they have the text of a message. */
@Injectable()
export class CallbackBodies {
  constructor(private readonly sealer: DataSealer) {}

  /** @throws if it cannot be opened */
  open({ id, organisationId, body, sealedBody }: StoredBody): string {
    if (sealedBody === null) return body;
    return this.sealer.open(sealedBody, { column: 'callback.sealed_body', organisationId, id });
  }

  /** The body as people see it: without the text if it cannot be opened. */
  show(stored: StoredBody): string {
    try {
      return this.open(stored);
    } catch {
      return stored.body;
    }
  }
}
