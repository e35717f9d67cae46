import { fastify } from 'fastify';
import { announceReady } from '../processes/script.js';

/** Routes that do nothing: what HTTP and the load generator cost. */
const app = fastify();

app.post<{ Body: { recipients: string; content: string } }>('/sms/send', ({ body }, reply) =>
  reply.send({ id: 'bare', recipients: [body.recipients], content: body.content, balance: '0' }),
);
app.get<{ Querystring: { phone: string } }>('/lookup/phone', ({ query }, reply) =>
  reply.send({ phone: query.phone, valid: true, country: 'NG', network: 'MTN' }),
);

await app.listen({ port: 0, host: '127.0.0.1' });
announceReady(app.server);
