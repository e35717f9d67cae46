import { createHmac } from 'node:crypto';
import { type Database, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';

/** As the OTP worker computes it. */
export const digestToken = (pepper: string, organisationId: string, id: string, token: string): Buffer =>
  createHmac('sha256', Buffer.from(pepper, 'base64'))
    .update(organisationId + id + token)
    .digest();

/** Inserts OTPs with this token that wait to be verified. Returns their ids. */
export async function fillOtps(
  database: Database,
  { organisationId, pepper, token }: { organisationId: string; pepper: string; token: string },
  count: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const digests = ids.map((id) => digestToken(pepper, organisationId, id, token).toString('hex'));
  await database.execute(sql`
    INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at,
      charge_kobo, request_id)
    SELECT id, ${organisationId}::uuid, '+234803' || lpad(n::text, 7, '0'), '0803' || lpad(n::text, 7, '0'), 'sms',
      decode(digest, 'hex'), 5, now() + interval '15 minutes', 0, 'bench'
    FROM unnest(${ids}::uuid[], ${digests}::text[]) WITH ORDINALITY AS given (id, digest, n)`);
  return ids;
}
