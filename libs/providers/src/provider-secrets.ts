import { nilUuid } from '@gangan/database';
import type { DataSealer, SealedPlace } from '@gangan/sealing';
import type { Secrets } from './http/request/build-request.js';

export interface SecretOwner {
  /** Of the provider. */
  readonly id: string;
  readonly organisationId: string | null;
}

/** @returns `null` if there are none */
export const sealSecrets = (sealer: DataSealer, owner: SecretOwner, secrets: Secrets): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), placeOf(owner));

/** @throws if they cannot be opened */
export const openSecrets = (sealer: DataSealer, owner: SecretOwner, sealed: Uint8Array | null): Secrets =>
  sealed === null ? {} : (JSON.parse(sealer.open(sealed, placeOf(owner))) as Secrets);

const placeOf = ({ id, organisationId }: SecretOwner): SealedPlace => ({
  column: 'provider.sealed_secrets',
  organisationId: organisationId ?? nilUuid,
  id,
});
