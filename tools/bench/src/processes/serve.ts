import { AppError, newContext } from '@gangan/protocol';
import { fastify } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { Charge } from '../charge/charge.contract.js';
import { organisations } from '../charge/tables.js';
import type { ChargeFunction } from '../ways/way.js';

/** The HTTP layer of all ways. Spreads requests over the organisations in turn. Returns the port. */
export async function serve(charge: ChargeFunction): Promise<number> {
  const app = fastify();
  let count = 0;
  app.post<{ Body: Charge }>('/charge', async ({ body }, reply) => {
    const organisationId = organisations[(count += 1) % organisations.length] ?? '';
    const context = newContext({ organisationId });
    try {
      const receipt = await charge(body, context);
      if (receipt.id !== context.operationId) throw new Error('The response belongs to another request');
      return receipt;
    } catch (error) {
      const status = error instanceof AppError ? error.status : 500;
      if (status === 500) console.error(error);
      return reply.status(status).send({ message: String(error) });
    }
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}
