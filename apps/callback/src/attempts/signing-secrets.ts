import { openCallbackSecret, openEndpointSecret } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ClaimedCallback, StoredSecret } from './attempt.repository.js';

type SignedCallback = Pick<ClaimedCallback, 'organisationId' | 'endpointId' | 'secrets'>;

/** Opens the secrets that sign a callback. */
@Injectable()
export class SigningSecrets {
  /** Secrets by organisation and sealed form: one that was changed is opened again. */
  private readonly opened = new LRUCache<string, string>({ max: 1_000 });
  /** The ids of secrets that have been logged. */
  private readonly logged = new LRUCache<string, true>({ max: 1_000 });

  constructor(
    private readonly sealer: DataSealer,
    private readonly logger: AppLogger,
  ) {}

  /** Leaves out secrets that cannot be opened: after a key was lost, the secret of a rotation signs alone. */
  open(callback: SignedCallback): string[] {
    return callback.secrets.flatMap((stored) => {
      const key = `${callback.organisationId} ${stored.id} ${stored.sealed}`;
      try {
        const secret = this.opened.get(key) ?? this.openStored(callback, stored);
        this.opened.set(key, secret);
        return [secret];
      } catch (error) {
        this.logOnce(error, callback, stored);
        return [];
      }
    });
  }

  private openStored(
    { organisationId, endpointId }: SignedCallback,
    { id, sealed, plain }: StoredSecret,
  ): string {
    const sealedSecret = sealed === null ? null : Uint8Array.from(Buffer.from(sealed, 'hex'));
    return endpointId !== null && sealedSecret
      ? openEndpointSecret(this.sealer, { id, organisationId, sealedSecret })
      : openCallbackSecret(this.sealer, { id, organisationId, secret: plain, sealedSecret });
  }

  private logOnce(error: unknown, { organisationId }: SignedCallback, { id }: StoredSecret): void {
    if (!this.logged.has(id))
      this.logger.error({ err: error, organisationId, secret: id }, 'a callback secret could not be opened');
    this.logged.set(id, true);
  }
}
