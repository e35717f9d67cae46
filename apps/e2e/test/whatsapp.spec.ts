import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import {
  CallbackConsumer,
  describeWithRedis,
  FakeProvider,
  FakeTermii,
  fakeWhatsApp,
  startRedis,
  type TestRedis,
  TestSystem,
  until,
  wamidOf,
  type WhatsAppMessage,
  type WhatsAppRefusal,
} from '@gangan/testing';
import { checkLedger } from '@gangan/billing';
import { type Database, sql } from '@gangan/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOf } from './database-of.js';

const secrets = {
  WHATSAPP_TOKEN: 'EAAJBtheAccessToken',
  WHATSAPP_APP_SECRET: 'theAppSecret',
  WHATSAPP_VERIFY_TOKEN: 'theVerifyToken',
  TERMII_API_KEY: 'TLsecretKeyOfTheAccount',
};
const [phoneNumberId, accountId] = ['106540352242922', '102290129340398'];
const program = new URL('../../../tools/admin/dist/main.js', import.meta.url).pathname;
const templates = [
  { id: '1', name: 'order', language: 'en_US', status: 'APPROVED', category: 'UTILITY' },
  { id: '2', name: 'offer', language: 'en_US', status: 'PAUSED', category: 'MARKETING' },
];

/** From the first command to the message that was read, for either queue backend. */
function describeWhatsApp(redis?: () => TestRedis): void {
  let system: TestSystem;
  let graph: FakeProvider<WhatsAppMessage, WhatsAppRefusal>;
  let termii: FakeTermii;
  let consumer: CallbackConsumer;
  let database: Database;
  let path = '';
  let key = '';
  beforeAll(async () => {
    const accessToken = secrets.WHATSAPP_TOKEN;
    graph = await FakeProvider.start(fakeWhatsApp({ phoneNumberId, accountId, accessToken, templates }));
    termii = await FakeTermii.start(secrets.TERMII_API_KEY);
    consumer = await CallbackConsumer.start((_, response) => response.end());
    system = await TestSystem.open({ SIMULATE_LIVE: 'false', ...(redis && { REDIS_URL: redis().url }) });
    await system.start();
    database = await databaseOf(system);
    await admin(
      ...['providers', 'add', 'whatsapp', '--kind', 'whatsapp', '--set', `phoneNumberId=${phoneNumberId}`],
      ...['--set', `accountId=${accountId}`, '--set', `url=${new URL(graph.url).origin}`],
      ...['--set', 'allowPrivate=true', '--secret', 'access_token=WHATSAPP_TOKEN'],
      ...['--secret', 'app_secret=WHATSAPP_APP_SECRET', '--secret', 'verify_token=WHATSAPP_VERIFY_TOKEN'],
    );
    await admin('routes', 'add', 'whatsapp', '--channel', 'whatsapp');
    await admin(
      ...['providers', 'add', 'termii', '--preset', 'termii', '--registered-senders', 'no'],
      ...['--secret', 'api_key=TERMII_API_KEY'],
      ...['--set', `request.url=${termii.url}`, '--set', 'allowPrivate=true'],
    );
    await admin('routes', 'add', 'termii');
    ({ path = '' } = await admin('providers', 'inbound-url', 'whatsapp'));
    await admin('organisations', 'create', 'Acme', '--sender', 'Acme');
    await admin('top-up', 'acme/live', '1000', '--reference', 'INV-1');
    ({ key = '' } = await admin('keys', 'issue', 'acme/live', '--name', 'Production'));
  });
  afterAll(async () => {
    await database.close();
    await system.stop();
    await system.close();
    await graph.stop();
    await termii.stop();
    await consumer.stop();
  });

  const admin = async (...args: string[]): Promise<Record<string, string>> => {
    const env = { ...process.env, ...secrets, GANGAN_DATA_DIR: system.folder, GANGAN_ACTOR: 'ada' };
    const { stdout } = await promisify(execFile)('node', [program, ...args, '--json', '--yes'], { env });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const post = (to: string, body: object) => system.request({ method: 'POST', path: to, key, body });
  const report = (value: object): Promise<Response> => {
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: accountId, changes: [{ field: 'messages', value }] }],
    });
    const signature = createHmac('sha256', secrets.WHATSAPP_APP_SECRET).update(body).digest('hex');
    return fetch(`${system.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    });
  };

  it('subscribes with the verify token', async () => {
    const subscribe = (token: string): Promise<Response> => {
      const query = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': token };
      return fetch(`${system.url}${path}?${new URLSearchParams(query).toString()}`);
    };
    const answer = await subscribe(secrets.WHATSAPP_VERIFY_TOKEN);
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    expect((await subscribe('another token')).status).toBe(404);
  });

  it('sends a message, and reports that it was read', async () => {
    const body = {
      recipients: '08031234567',
      channel: 'whatsapp',
      content: 'Hello',
      callback: `http://127.0.0.1:${consumer.port}/`,
    };
    const sent = await until('the route is used', async () => {
      const answer = await post('/sms/send', body);
      return answer.status === 200 && (answer.body as { id: string });
    });
    await until('WhatsApp has the message', () => graph.sent.length === 1);
    const [message] = graph.sent;
    const status = { id: wamidOf(1), biz_opaque_callback_data: message?.biz_opaque_callback_data };
    const statuses = ['read', 'delivered', 'sent'].map((own) => ({ ...status, status: own }));
    const answers = await Promise.all(Array.from({ length: 5 }, () => report({ statuses })));
    expect(new Set(answers.map(({ status: code }) => code))).toEqual(new Set([200]));
    const types = () => consumer.seen.map((seen) => (JSON.parse(seen.body) as { type: string }).type);
    await until('the callback arrives', () => types().includes('message.read'));
    const found = await system.request({ path: `/sms/${sent.id}`, key });
    expect(found.body).toMatchObject({ deliveries: [{ status: 'read' }] });
  });

  it('sends an OTP with an authentication template, and verifies it', async () => {
    const before = graph.sent.length;
    const token = '0123456';
    const requested = await post('/otp/request_token', {
      recipient: '08031234568',
      channel: 'whatsapp',
      token,
    });
    expect(requested.status).toBe(200);
    await until('WhatsApp has the OTP', () => graph.sent.length > before);
    const parameters = [{ type: 'text', text: token }];
    expect(graph.sent.at(-1)?.template?.components).toEqual([
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ]);
    const { id } = requested.body as { id: string };
    expect((await post('/otp/verify', { id, token })).status).toBe(200);
  });

  it.each([
    ['that WhatsApp does not deliver', undefined],
    ['that WhatsApp refuses', { code: 131026 }],
  ])('sends an OTP %s by SMS with the same token, which is accepted once', async (_, refusal) => {
    const [token, recipient] = ['7351960', '08031234570'];
    const [before, beforeSms] = [graph.sent.length, termii.sent.length];
    graph.behaviour = () => refusal ?? 'accept';
    const requested = await post('/otp/request_token', {
      ...{ recipient, token, channel: 'whatsapp', fallback_channels: ['sms'] },
    });
    expect(requested.status).toBe(200);
    const { id } = requested.body as { id: string };
    if (!refusal) {
      const message = await until('WhatsApp has the OTP', () => graph.sent[before]);
      const errors = [{ code: 131026, title: 'Message undeliverable' }];
      const data = message.biz_opaque_callback_data;
      await report({
        statuses: [
          { id: wamidOf(graph.sent.length), biz_opaque_callback_data: data, status: 'failed', errors },
        ],
      });
    }
    const sms = await until('the SMS arrives', () => termii.sent[beforeSms]);
    expect(JSON.stringify(sms)).toContain(token);
    graph.behaviour = () => 'accept';
    expect((await post('/otp/verify', { id, token })).status).toBe(200);
    expect((await post('/otp/verify', { id, token })).status).toBe(409);
    expect((await system.request({ path: `/otp/${id}`, key })).body).toMatchObject({
      status: 2,
      sends: [{ channel: 'whatsapp', reason: { code: expect.any(String) } }, { channel: 'sms' }],
    });
    await until('the outcomes are stored', async () => {
      const open = await database.query(sql`
        SELECT FROM delivery WHERE otp_id = ${id} AND (sealed_body IS NOT NULL OR state IN ('queued', 'submitting'))`);
      return open.length === 0;
    });
    expect(
      await database.query(sql`SELECT FROM otp WHERE id = ${id} AND sealed_token IS NOT NULL`),
    ).toHaveLength(0);
    // Both messages were charged. What a carrier accepted and did not deliver is not refunded.
    const moved = await database.query<{ kind: string }>(sql`
      SELECT kind::text FROM ledger_transaction
      WHERE subject_id IN (SELECT id FROM delivery WHERE otp_id = ${id}) ORDER BY kind::text`);
    expect(moved.map(({ kind }) => kind)).toEqual(['charge', 'charge', ...(refusal ? ['refund'] : [])]);
    expect(await checkLedger(database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });

  it('refuses a template that is paused', async () => {
    await admin('templates', 'sync', 'whatsapp');
    const create = async (name: string): Promise<string> => {
      const fields = { name, channel: 'whatsapp', body: 'Hello', provider_name: name, language: 'en_US' };
      return ((await post('/templates', fields)).body as { id: string }).id;
    };
    const send = (id: string) =>
      post('/sms/send', { recipients: '08031234569', channel: 'whatsapp', template_id: id });
    const [order, offer] = [await create('order'), await create('offer')];
    const refused = await until('the templates are known', async () => {
      const answer = await send(offer);
      return answer.status === 400 && answer;
    });
    expect(JSON.stringify(refused.body)).toContain('WhatsApp has paused the template offer (en_US)');
    expect((await send(order)).status).toBe(200);
  });
}

describe('WhatsApp, with the queue in Postgres', () => {
  describeWhatsApp();
});

describeWithRedis('WhatsApp, with the queue in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true });
  });
  afterAll(() => redis.stop());
  describeWhatsApp(() => redis);
});
