import { randomBytes } from 'node:crypto';
import { nilUuid } from '@gangan/database';
import type { DataSealer, SealedPlace } from '@gangan/sealing';
import type { SecretOwner } from './provider-secrets.js';

/** The token in the path for the requests of a provider: 256 random bits. */
export const newInboundToken = (): string => randomBytes(32).toString('base64url');

export const sealToken = (sealer: DataSealer, owner: SecretOwner, token: string): Buffer =>
  sealer.seal(token, placeOf(owner));

/** @throws if it cannot be opened */
export const openToken = (sealer: DataSealer, owner: SecretOwner, sealed: Uint8Array): string =>
  sealer.open(sealed, placeOf(owner));

export const inboundPath = (provider: string, token: string): string => `/in/${provider}/${token}`;

const placeOf = ({ id, organisationId }: SecretOwner): SealedPlace => ({
  column: 'provider.sealed_token',
  organisationId: organisationId ?? nilUuid,
  id,
});
