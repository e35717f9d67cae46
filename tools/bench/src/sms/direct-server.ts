import type { AddressInfo } from 'node:net';
import { parsePhone } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { fastify } from 'fastify';
import { databasePool } from '../ways/way.js';
import { storeOne } from './store-one.js';

/** Messages without a queue: one statement per request, in the HTTP process. */
const [url = ''] = process.argv.slice(2);
const database = new Database({ url, poolSize: databasePool });
const kobo = 400n;

const app = fastify({ bodyLimit: 1_048_576 });
process.on('disconnect', () => process.exit(0));

app.post<{ Body: { recipients: string; content: string } }>('/sms/send', async ({ body, headers }, reply) => {
  const recipients = body.recipients.split(',').flatMap((text) => {
    const phone = parsePhone(text.trim());
    return phone ? [{ given: text.trim(), e164: phone.e164 }] : [];
  });
  // Instead of a key.
  const organisationId = headers.authorization ?? '';
  const message = { id: newId(), organisationId, recipients, content: body.content, kobo };
  const balance = await storeOne(database, message);
  if (balance === undefined) return reply.status(402).send({ status: 402 });
  const given = recipients.map((recipient) => recipient.given);
  return { id: message.id, recipients: given, content: body.content, balance: String(balance) };
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ type: 'ready', port: (app.server.address() as AddressInfo).port });
