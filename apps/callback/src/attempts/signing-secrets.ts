import { openCallbackSecret, openEndpointSecret } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ClaimedCallback } from './attempt.repository.js';

type SignedCallback = Pick<ClaimedCallback, 'organisationId' | 'endpointId' | 'secrets'>;

/** Opens the secrets that sign a callback. */
@Injectable()
export class SigningSecrets {
  /** The ids of secrets that have been logged. */
  private readonly logged = new LRUCache<string, true>({ max: 1_000 });

  constructor(
    private readonly sealer: DataSealer,
    private readonly logger: AppLogger,
  ) {}

  /** Leaves out secrets that cannot be opened: after a key was lost, the secret of a rotation signs alone. */
  open({ organisationId, endpointId, secrets }: SignedCallback): string[] {
    return secrets.flatMap(({ id, sealed, plain }) => {
      const sealedSecret = sealed === null ? null : Uint8Array.from(Buffer.from(sealed, 'hex'));
      try {
        return [
          endpointId !== null && sealedSecret
            ? openEndpointSecret(this.sealer, { id, organisationId, sealedSecret })
            : openCallbackSecret(this.sealer, { id, organisationId, secret: plain, sealedSecret }),
        ];
      } catch (error) {
        if (!this.logged.has(id))
          this.logger.error(
            { err: error, organisationId, secret: id },
            'a callback secret could not be opened',
          );
        this.logged.set(id, true);
        return [];
      }
    });
  }
}
