import { randomBytes } from 'node:crypto';
import { newId } from '@gangan/protocol';
import type { DataSealer, SealedPlace } from '@gangan/sealing';
import type { CallbackEndpointSecret, CallbackSecret } from '../generated/client.js';
import { command, sql } from '../sql/statement.js';
import type { SqlRunner } from '../sql/statements.js';

/** Makes a secret in the format of Standard Webhooks. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

type SecretRow = Pick<CallbackSecret, 'id' | 'organisationId' | 'secret' | 'sealedSecret'>;

const placeOf = ({ id, organisationId }: Pick<SecretRow, 'id' | 'organisationId'>): SealedPlace => ({
  column: 'callback_secret.sealed_secret',
  organisationId,
  id,
});

/** Makes a row with a new secret. */
export function sealCallbackSecret(sealer: DataSealer, organisationId: string, secret: string, id = newId()) {
  const sealed = sealer.seal(secret, placeOf({ id, organisationId }));
  return { id, organisationId, sealedSecret: new Uint8Array(sealed) };
}

/** @throws if it was sealed with a key that this process does not have, or for another row */
export function openCallbackSecret(sealer: DataSealer, row: SecretRow): string {
  return row.sealedSecret === null ? (row.secret ?? '') : sealer.open(row.sealedSecret, placeOf(row));
}

const endpointPlaceOf = ({ id, organisationId }: Pick<SecretRow, 'id' | 'organisationId'>): SealedPlace => ({
  column: 'callback_endpoint_secret.sealed_secret',
  organisationId,
  id,
});

/** Makes a row with a new secret of an endpoint. */
export function newEndpointSecret(sealer: DataSealer, id: string, organisationId: string) {
  const sealed = sealer.seal(newCallbackSecret(), endpointPlaceOf({ id, organisationId }));
  return { id, organisationId, sealedSecret: new Uint8Array(sealed) };
}

/** @throws like `openCallbackSecret` */
export const openEndpointSecret = (
  sealer: DataSealer,
  row: Pick<CallbackEndpointSecret, 'id' | 'organisationId' | 'sealedSecret'>,
): string => sealer.open(row.sealedSecret, endpointPlaceOf(row));

const lockOrganisation = command(
  (organisationId: string) => sql`SELECT id FROM organisation WHERE id = ${organisationId} FOR UPDATE`,
);

const retireSecrets = command(
  (organisationId: string, at: Date) => sql`
    UPDATE callback_secret SET retires_at = CASE WHEN retires_at IS NULL THEN ${at}::timestamptz ELSE now() END
    WHERE organisation_id = ${organisationId} AND (retires_at IS NULL OR retires_at > now())`,
);

const insertSecret = command(
  ({ id, organisationId, sealedSecret }: ReturnType<typeof sealCallbackSecret>) => sql`
    INSERT INTO callback_secret (id, organisation_id, sealed_secret) VALUES (${id}, ${organisationId}, ${sealedSecret})`,
);

/**
 * Gives the organisation a new secret. The secret it replaces signs beside it until `retiresAt`; older ones retire now,
 * because receivers have to expect at most two. A concurrent rotation waits, and retires this secret.
 */
export async function rotateCallbackSecret(
  transaction: SqlRunner,
  sealer: DataSealer,
  organisationId: string,
  retiresAt: Date,
): Promise<string> {
  const secret = newCallbackSecret();
  await transaction.run(lockOrganisation, organisationId);
  await transaction.run(retireSecrets, organisationId, retiresAt);
  await transaction.run(insertSecret, sealCallbackSecret(sealer, organisationId, secret));
  return secret;
}
