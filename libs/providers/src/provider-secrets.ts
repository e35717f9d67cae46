import type { ProviderDomain } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import type { DataSealer, SealedPlace } from '@gangan/sealing';
import type { Secrets } from './http/request/build-request.js';

export interface SecretOwner {
  /** The id of the provider. */
  readonly id: string;
  readonly organisationId: string | null;
  /** A provider has one domain. */
  readonly domains: readonly ProviderDomain[];
}

/** @returns `null` if there are none */
export const sealSecrets = (sealer: DataSealer, owner: SecretOwner, secrets: Secrets): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), placeOf(owner));

/** @throws if they cannot be opened */
export const openSecrets = (sealer: DataSealer, owner: SecretOwner, sealed: Uint8Array | null): Secrets =>
  sealed === null ? {} : (JSON.parse(sealer.open(sealed, placeOf(owner))) as Secrets);

const placeOf = (owner: SecretOwner): SealedPlace => ({
  column: 'provider.sealed_secrets',
  ...placeOfProvider(owner),
});

export const placeOfProvider = ({ id, organisationId, domains: [domain] }: SecretOwner) => ({
  organisationId: organisationId ?? nilUuid,
  id,
  domain,
});
