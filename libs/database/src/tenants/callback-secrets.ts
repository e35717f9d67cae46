import { newId } from '@gangan/protocol';
import { sql } from '../sql/statement.js';
import type { Statements } from '../sql/statements.js';
import { newCallbackSecret } from './secrets.js';

/**
 * Gives the organisation a new secret; the one it replaces signs beside it until it retires. Anything older retires
 * now: two at a time are what a receiver is promised.
 */
export async function rotateCallbackSecret(
  transaction: Statements,
  organisationId: string,
  retiresAt: Date,
): Promise<string> {
  const secret = newCallbackSecret();
  // Whoever rotates at the same time waits here, so that each finds the other's secret as the one to retire.
  await transaction.query(sql`SELECT id FROM organisation WHERE id = ${organisationId} FOR UPDATE`);
  await transaction.execute(sql`
    UPDATE callback_secret SET retires_at = CASE WHEN retires_at IS NULL THEN ${retiresAt}::timestamptz ELSE now() END
    WHERE organisation_id = ${organisationId} AND (retires_at IS NULL OR retires_at > now())`);
  await transaction.execute(sql`
    INSERT INTO callback_secret (id, organisation_id, secret) VALUES (${newId()}, ${organisationId}, ${secret})`);
  return secret;
}
