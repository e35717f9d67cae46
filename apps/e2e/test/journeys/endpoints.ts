import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { CallbackConsumer, type SeenCallback, type TestRequest, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { signatureOf } from '../support/callback-signature.js';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

/** An endpoint of the demo organisation, from its creation to its deletion. */
export function reportsToEndpoints(running: RunningSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Endpoints');
  let consumer: CallbackConsumer;
  let endpoint: { readonly id: string; readonly secret: string };
  const startedAt = new Date();

  beforeAll(async () => {
    consumer = await CallbackConsumer.start((_, response) => response.end());
  });
  afterAll(() => consumer.stop());

  const ask = async <T>(question: Omit<TestRequest, 'key'>): Promise<T> => {
    const { status, body } = await system().request({ ...question, key: key() });
    expect([question.path, status, body]).toEqual([question.path, 200, body]);
    return body as T;
  };
  const post = <T>(path: string, body: object = {}): Promise<T> => ask<T>({ method: 'POST', path, body });
  const isAbout = ({ body }: SeenCallback, type: string, id: string): boolean =>
    (JSON.parse(body) as { type: string }).type === type && body.includes(id);
  const seen = (type: string, id: string): Promise<SeenCallback> =>
    until(`${type} arrives`, () => consumer.seen.find((callback) => isAbout(callback, type, id)));
  const signatures = ({ headers }: SeenCallback): string[] => String(headers['webhook-signature']).split(' ');

  it('creates it once for one Idempotency-Key, and stores its secret sealed only', async () => {
    const question = {
      method: 'POST' as const,
      path: '/callback-endpoints',
      body: {
        url: `http://127.0.0.1:${consumer.port}/events`,
        events: ['message.sent', 'message.delivered', 'import.finished', 'otp.sent', 'otp.verified'],
      },
      headers: { 'idempotency-key': newId() },
    };
    endpoint = await ask(question);
    expect(await ask(question)).toEqual(endpoint);
    expect(await ask({ path: `/callback-endpoints/${endpoint.id}` })).not.toHaveProperty('secret');
    const [claim] = await database().query<{ isSealed: boolean; body: Buffer }>(sql`
      SELECT answer_sealed AS "isSealed", answer_body AS body FROM idempotency_claim
      WHERE key = ${question.headers['idempotency-key']}`);
    expect(claim?.isSealed).toBe(true);
    expect(claim?.body.toString()).not.toContain(endpoint.secret);
  });

  it('reports messages, OTPs and imports to it, signed with its secret', async () => {
    const message = await post<{ id: string }>('/sms/send', { recipients: '08031234567', content: 'Hello' });
    const otp = await post<{ id: string }>('/otp/request_token', {
      recipient: '08031234570',
      token: '48151623',
    });
    const sent = await seen('otp.sent', otp.id);
    await post('/otp/verify', { id: otp.id, token: '48151623' });
    const file = { headers: { 'content-type': 'text/csv' }, text: 'Name\nEndpoint\n' };
    const imported = await ask<{ id: string }>({ method: 'POST', path: '/lists/contact/imports', ...file });
    const reports = [
      await seen('message.sent', message.id),
      await seen('message.delivered', message.id),
      sent,
      await seen('otp.verified', otp.id),
      await seen('import.finished', imported.id),
    ];
    for (const report of reports) {
      expect(signatures(report)).toEqual([signatureOf(report, endpoint.secret)]);
      expect(report.body).not.toContain('48151623');
    }
    expect(new Set(reports.map(({ headers }) => headers['webhook-id'])).size).toBe(reports.length);
  });

  it('sets the threshold of the balance', async () => {
    const path = '/balance/threshold';
    await ask({ method: 'PATCH', path, body: { threshold: 1 } });
    expect(await ask({ path })).toEqual({ threshold: 1 });
    await ask({ method: 'PATCH', path, body: { threshold: 0 } });
    expect(await ask({ path })).toEqual({ threshold: 0 });
  });

  it('tests it, and rotates its secret', async () => {
    const path = `/callback-endpoints/${endpoint.id}`;
    const { secret } = await post<{ secret: string }>(`${path}/rotate-secret`, { overlap_hours: 1 });
    const { id } = await post<{ id: string }>(`${path}/test`);
    const report = await until('the test arrives', () =>
      consumer.seen.find(({ headers }) => headers['webhook-id'] === id),
    );
    expect(signatures(report)).toEqual([signatureOf(report, secret), signatureOf(report, endpoint.secret)]);
    await until('the result can be read', async () => {
      const { status, attempts } = await ask<{ status: string; attempts: { status: number }[] }>({
        path: `/callbacks/${id}`,
      });
      return status === 'delivered' && attempts[0]?.status === 200;
    });
  });

  it('sends what it got again with the same ids, and nothing after its deletion', async () => {
    const ids = new Set(consumer.seen.map(({ headers }) => headers['webhook-id']));
    const path = `/callback-endpoints/${endpoint.id}`;
    const from = startedAt.toISOString();
    expect(await post(`${path}/recover`, { from })).toEqual({ recovered: ids.size });
    await until('each arrives twice', () => consumer.seen.length === 2 * ids.size);
    expect(new Set(consumer.seen.map(({ headers }) => headers['webhook-id']))).toEqual(ids);
    await ask({ method: 'DELETE', path });
    expect(await system().request({ path, key: key() })).toMatchObject({ status: 404 });
    const { id } = await post<{ id: string }>('/sms/send', { recipients: '08031234567', content: 'Hello' });
    await until('the message is delivered', async () => {
      const { deliveries } = await ask<{ deliveries: { status: string }[] }>({ path: `/sms/${id}` });
      return deliveries[0]?.status === 'delivered';
    });
    expect((await ask<{ callbacks: object[] }>({ path: `/callbacks?resource_id=${id}` })).callbacks).toEqual(
      [],
    );
  });
}
