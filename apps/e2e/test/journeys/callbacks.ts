import { CallbackConsumer, type SeenCallback, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { signatureOf } from '../support/callback-signature.js';
import { newCallbackSecret, ownOrganisation } from '../support/new-organisation.js';
import type { OwnSystem, RunningSystem } from '../support/running.js';

interface Reported {
  readonly type: string;
  readonly data: { readonly id: string };
}

export function reportsOutcomes(running: RunningSystem): void {
  const buyer = aBuyer(running);

  it('reports a purchase to its URL, signed with the secret of the organisation', async () => {
    const { id, requestId } = await buyer.buy(150);
    const report = await buyer.reportOf(id);
    expect(report.headers['webhook-signature']).toBe(signatureOf(report, buyer.secret()));
    expect(report.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': requestId });
    expect(JSON.parse(report.body)).toMatchObject({
      data: { network: 'MTN', amount: 150, recipient: '08031234567', status: 'success', refunded: false },
    });
  });
}

export function reportsAfterKilledWorker(running: OwnSystem): void {
  const buyer = aBuyer(running);

  it('reports a purchase that was made meanwhile', async () => {
    running.system().killApp('callback');
    const { id } = await buyer.buy(250);
    const report = await buyer.reportOf(id);
    expect(report.headers['webhook-signature']).toBe(signatureOf(report, buyer.secret()));
  });
}

/** An organisation that buys airtime and receives the reports. */
function aBuyer(running: RunningSystem) {
  const { system, database } = running;
  const { id: organisationId, key } = ownOrganisation(running, 'Callbacks');
  let consumer: CallbackConsumer;
  let secret: string;
  beforeAll(async () => {
    consumer = await CallbackConsumer.start((_, response) => response.end());
    secret = await newCallbackSecret(system(), database(), organisationId());
  });
  afterAll(() => consumer.stop());

  const buy = async (amount: number): Promise<{ id: string; requestId: unknown }> => {
    const body = {
      network: 'MTN',
      amount,
      recipient: '08031234567',
      callback: `http://127.0.0.1:${consumer.port}/`,
    };
    const answer = await system().request({ method: 'POST', path: '/airtime/buy', key: key(), body });
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
  return { buy, reportOf, secret: () => secret };
}
