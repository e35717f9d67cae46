import { parsePhone } from '@gangan/contracts';
import { newId } from '@gangan/protocol';
import { fastify } from 'fastify';
import { announceReady } from '../../processes/script.js';
import type { DirectMessage } from './store-one.js';

/**
 * `POST /sms/send` without keys, limits, prices or templates.
 * @param store returns the new balance, or nothing if it is too low
 * @param after what is done after the response
 */
export async function serveMessages(
  store: (message: DirectMessage) => Promise<bigint | string | undefined>,
  after?: (message: DirectMessage) => Promise<void> | undefined,
): Promise<void> {
  const app = fastify({ bodyLimit: 1_048_576 });
  app.post<{ Body: { recipients: string; content: string } }>(
    '/sms/send',
    async ({ body, headers }, reply) => {
      const recipients = body.recipients.split(',').flatMap((text) => {
        const phone = parsePhone(text.trim());
        return phone ? [{ id: newId(), given: text.trim(), e164: phone.e164 }] : [];
      });
      // Instead of a key.
      const organisationId = headers.authorization ?? '';
      const message = { id: newId(), organisationId, recipients, content: body.content };
      const balance = await store(message);
      if (balance === undefined) return reply.status(402).send({ status: 402 });
      setImmediate(() => void after?.(message));
      const given = recipients.map((recipient) => recipient.given);
      return { id: message.id, recipients: given, content: body.content, balance: String(balance) };
    },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  announceReady(app.server);
}
