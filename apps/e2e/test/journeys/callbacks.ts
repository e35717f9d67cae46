import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Running } from './running.js';

const key = 'sk_test_demo';
/** Of `whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=`, from docs/callbacks.md. */
const secret = Buffer.from('ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=', 'base64');

interface Caught {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Reported {
  readonly type: string;
  readonly data: { readonly id: string };
}

const signatureOf = ({ headers, body }: Caught): string => {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
};

/** The report of a purchase. */
export function reportsOutcomes({ system }: Running): void {
  const caught: Caught[] = [];
  let consumer: Server;
  let url: string;

  beforeAll(async () => {
    consumer = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        caught.push({ headers: request.headers, body });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(consumer, 'listening');
    url = `http://127.0.0.1:${(consumer.address() as AddressInfo).port}/callbacks`;
  });
  afterAll(() => {
    consumer.closeAllConnections();
    consumer.close();
  });

  const buy = async (amount: number): Promise<{ id: string; requestId: unknown }> => {
    const body = { network: 'MTN', amount, recipient: '08031234567', callback: url };
    const answer = await system().request({ method: 'POST', path: '/airtime/buy', key, body });
    expect(answer.status).toBe(200);
    return { id: (answer.body as { id: string }).id, requestId: answer.headers['x-request-id'] };
  };
  const reportOf = (id: string): Promise<Caught> =>
    until('the purchase is reported', () =>
      caught.find(({ body }) => {
        const { type, data } = JSON.parse(body) as Reported;
        return type === 'airtime.success' && data.id === id;
      }),
    );

  it('reports a purchase to its URL, signed with the secret of the organisation', async () => {
    const { id, requestId } = await buy(150);
    const report = await reportOf(id);
    expect(report.headers['webhook-signature']).toBe(signatureOf(report));
    expect(report.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': requestId });
    expect(JSON.parse(report.body)).toMatchObject({
      data: { network: 'MTN', amount: 150, recipient: '08031234567', status: 'success', refunded: false },
    });
  }, 60_000);

  it('reports it even if the callback worker dies meanwhile', async () => {
    system().killApp('callback');
    const { id } = await buy(250);
    const report = await reportOf(id);
    expect(report.headers['webhook-signature']).toBe(signatureOf(report));
  }, 60_000);
}
