import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { charge } from '@gangan/billing';
import { Database, sql } from '@gangan/database';
import { newId, timeOfId } from '@gangan/protocol';
import { fastify } from 'fastify';
import { databasePool } from '../ways/way.js';
import { digestToken } from './fill-otps.js';

/** OTPs without a queue: one statement per request, in the HTTP process. No keys, limits or guards. */
const [url = '', organisationId = '', pepper = ''] = process.argv.slice(2);
const database = new Database({ url, poolSize: databasePool });
const price = 400n;
const computeHmac = (id: string, token: string): Buffer => digestToken(pepper, organisationId, id, token);

const app = fastify();
process.on('disconnect', () => process.exit(0));

app.post<{ Body: { recipient: string; token: string } }>('/otp/request_token', async ({ body }) => {
  const id = newId();
  const { recipient, token } = body;
  await charge(
    database,
    'otp',
    [{ subjectId: id, organisationId, kobo: price }],
    sql`stored AS (
      INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at,
        charge_kobo, request_id, created_at)
      SELECT ${id}::uuid, ${organisationId}::uuid, ${recipient}, ${recipient}, 'sms', ${computeHmac(id, token)}, 5,
        now() + interval '15 minutes', kobo, 'bench', ${timeOfId(id)}::timestamptz FROM accepted
    ), handed_over AS (
      INSERT INTO delivery (id, organisation_id, lane, otp_id, channel, recipient, recipient_given, next_attempt_at,
        sealed_body, pages, charge_kobo)
      SELECT ${id}::uuid, ${organisationId}::uuid, 'otp', ${id}::uuid, 'sms', ${recipient}, ${recipient}, now(),
        ${randomBytes(120)}, 1, kobo FROM accepted
    )`,
  );
  return { id, recipient, status: 1, status_desc: 'SENT' };
});

app.post<{ Body: { id: string; token: string } }>('/otp/verify', async ({ body: { id, token } }, reply) => {
  const [row] = await database.query<{ recipient: string }>(sql`
    WITH verified AS (
      UPDATE otp SET status = 2, updated_at = now()
      WHERE id = ${id} AND organisation_id = ${organisationId} AND status = 1 AND expires_at > now()
        AND hmac = ${computeHmac(id, token)} RETURNING id, organisation_id, recipient
    ), recorded AS (
      INSERT INTO otp_verification (id, otp_id, organisation_id, recipient, outcome, attempts_left)
      SELECT ${newId()}::uuid, id, organisation_id, recipient, 'verified', 0 FROM verified
    )
    SELECT recipient FROM verified`);
  if (!row) return reply.status(400).send({ status: 400 });
  return { id, recipient: row.recipient, status: 2, status_desc: 'VERIFIED' };
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ type: 'ready', port: (app.server.address() as AddressInfo).port });
