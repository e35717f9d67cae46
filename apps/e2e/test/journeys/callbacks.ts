import { CallbackConsumer, type SeenCallback, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { signatureOf } from '../callback-signature.js';
import type { Running } from './running.js';

const key = 'sk_test_demo';
/** From docs/callbacks.md. */
const secret = 'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=';

interface Reported {
  readonly type: string;
  readonly data: { readonly id: string };
}

/** The report of a purchase. */
export function reportsOutcomes({ system }: Running): void {
  let consumer: CallbackConsumer;

  beforeAll(async () => {
    consumer = await CallbackConsumer.start((_, response) => response.end());
  });
  afterAll(() => consumer.stop());

  const buy = async (amount: number): Promise<{ id: string; requestId: unknown }> => {
    const body = {
      network: 'MTN',
      amount,
      recipient: '08031234567',
      callback: `http://127.0.0.1:${consumer.port}/`,
    };
    const answer = await system().request({ method: 'POST', path: '/airtime/buy', key, body });
    expect(answer.status).toBe(200);
    return { id: (answer.body as { id: string }).id, requestId: answer.headers['x-request-id'] };
  };
  const reportOf = (id: string): Promise<SeenCallback> =>
    until('the purchase is reported', () =>
      consumer.seen.find(({ body }) => {
        const { type, data } = JSON.parse(body) as Reported;
        return type === 'airtime.success' && data.id === id;
      }),
    );

  it('reports a purchase to its URL, signed with the secret of the organisation', async () => {
    const { id, requestId } = await buy(150);
    const report = await reportOf(id);
    expect(report.headers['webhook-signature']).toBe(signatureOf(report, secret));
    expect(report.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': requestId });
    expect(JSON.parse(report.body)).toMatchObject({
      data: { network: 'MTN', amount: 150, recipient: '08031234567', status: 'success', refunded: false },
    });
  });

  it('reports it even if the callback worker dies meanwhile', async () => {
    system().killApp('callback');
    const { id } = await buy(250);
    const report = await reportOf(id);
    expect(report.headers['webhook-signature']).toBe(signatureOf(report, secret));
  });
}
