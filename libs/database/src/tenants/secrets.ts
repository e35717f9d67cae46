import { randomBytes } from 'node:crypto';
import { newId } from '@gangan/protocol';
import { command, sql } from '../sql/statement.js';
import type { SqlRunner } from '../sql/statements.js';

/** In the format of Standard Webhooks. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const lockOrganisation = command(
  (organisationId: string) => sql`SELECT id FROM organisation WHERE id = ${organisationId} FOR UPDATE`,
);

const retireSecrets = command(
  (organisationId: string, at: Date) => sql`
    UPDATE callback_secret SET retires_at = CASE WHEN retires_at IS NULL THEN ${at}::timestamptz ELSE now() END
    WHERE organisation_id = ${organisationId} AND (retires_at IS NULL OR retires_at > now())`,
);

const insertSecret = command(
  (organisationId: string, secret: string) => sql`
    INSERT INTO callback_secret (id, organisation_id, secret) VALUES (${newId()}, ${organisationId}, ${secret})`,
);

/**
 * Gives the organisation a new secret. The secret it replaces signs beside it until `retiresAt`; older ones retire now,
 * because receivers have to expect at most two. A concurrent rotation waits, and retires this secret.
 */
export async function rotateCallbackSecret(
  transaction: SqlRunner,
  organisationId: string,
  retiresAt: Date,
): Promise<string> {
  const secret = newCallbackSecret();
  await transaction.run(lockOrganisation, organisationId);
  await transaction.run(retireSecrets, organisationId, retiresAt);
  await transaction.run(insertSecret, organisationId, secret);
  return secret;
}
