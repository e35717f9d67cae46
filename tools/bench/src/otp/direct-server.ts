import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { fastify } from 'fastify';
import { announceReady } from '../processes/script.js';
import { openDatabase } from '../sms/servers/open-database.js';
import { digestToken } from './digest.js';

/** Verifies OTPs without a queue: one statement per request, in the HTTP process. No keys, limits or guards. */
const [url = '', organisationId = '', pepper = ''] = process.argv.slice(2);
const database = openDatabase(url);

const app = fastify();
app.post<{ Body: { id: string; token: string } }>('/otp/verify', async ({ body: { id, token } }, reply) => {
  const [row] = await database.query<{ recipient: string }>(sql`
    WITH verified AS (
      UPDATE otp SET status = 2, updated_at = now()
      WHERE id = ${id} AND organisation_id = ${organisationId} AND status = 1 AND expires_at > now()
        AND hmac = ${digestToken(pepper, organisationId, id, token)} RETURNING id, organisation_id, recipient
    ), recorded AS (
      INSERT INTO otp_verification (id, otp_id, organisation_id, recipient, outcome, attempts_left)
      SELECT ${newId()}::uuid, id, organisation_id, recipient, 'verified', 0 FROM verified
    )
    SELECT recipient FROM verified`);
  if (!row) return reply.status(400).send({ status: 400 });
  return { id, recipient: row.recipient, status: 2, status_desc: 'VERIFIED' };
});

await app.listen({ port: 0, host: '127.0.0.1' });
announceReady(app.server);
