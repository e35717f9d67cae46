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
  type WhatsAppMessage,
  type WhatsAppRefusal,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const secrets = {
  TERMII_API_KEY: 'TLsecretKeyOfTheAccount',
  WHATSAPP_TOKEN: 'EAAJBtheAccessToken',
  WHATSAPP_APP_SECRET: 'theAppSecret',
  WHATSAPP_VERIFY_TOKEN: 'theVerifyToken',
};
const phoneNumberId = '106540352242922';
const program = new URL('../../../tools/admin/dist/main.js', import.meta.url).pathname;

interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** From the message of a customer to the reply, for either queue backend. */
function describeInbox(redis?: () => TestRedis): void {
  let system: TestSystem;
  let termii: FakeTermii;
  let graph: FakeProvider<WhatsAppMessage, WhatsAppRefusal>;
  let consumer: CallbackConsumer;
  let key = '';
  const paths: Record<string, string> = {};
  beforeAll(async () => {
    termii = await FakeTermii.start(secrets.TERMII_API_KEY);
    const accessToken = secrets.WHATSAPP_TOKEN;
    graph = await FakeProvider.start(fakeWhatsApp({ phoneNumberId, accessToken }));
    consumer = await CallbackConsumer.start((_, response) => response.end());
    const sealed = { SIMULATE_LIVE: 'false', SEAL_MESSAGES: 'true' };
    system = await TestSystem.open({ ...sealed, ...(redis && { REDIS_URL: redis().url }) });
    await system.start();
    await admin(
      ...['providers', 'add', 'termii', '--preset', 'termii', '--registered-senders', 'no'],
      ...['--secret', 'api_key=TERMII_API_KEY', '--set', `request.url=${termii.url}`],
      ...['--set', 'allowPrivate=true'],
    );
    await admin(
      ...['providers', 'add', 'whatsapp', '--kind', 'whatsapp', '--set', `phoneNumberId=${phoneNumberId}`],
      ...['--set', `url=${new URL(graph.url).origin}`, '--set', 'allowPrivate=true'],
      ...['--secret', 'access_token=WHATSAPP_TOKEN', '--secret', 'app_secret=WHATSAPP_APP_SECRET'],
      ...['--secret', 'verify_token=WHATSAPP_VERIFY_TOKEN'],
    );
    await admin('routes', 'add', 'termii');
    await admin('routes', 'add', 'whatsapp', '--channel', 'whatsapp');
    for (const name of ['termii', 'whatsapp'])
      paths[name] = (await admin('providers', 'inbound-url', name))['path'] ?? '';
    await admin('organisations', 'create', 'Acme', '--sender', 'Acme');
    await admin('top-up', 'acme/live', '1000', '--reference', 'INV-1');
    await admin('numbers', 'assign', 'acme/live', '22345');
    await admin('numbers', 'assign', 'acme/live', '+15550783881', '--channel', 'whatsapp');
    ({ key = '' } = await admin('keys', 'issue', 'acme/live', '--name', 'Production'));
    const url = `http://127.0.0.1:${consumer.port}/`;
    expect((await post('/callbacks/endpoints', { url, events: ['message.received'] })).status).toBe(200);
  });
  afterAll(async () => {
    await system.stop();
    await system.close();
    await termii.stop();
    await graph.stop();
    await consumer.stop();
  });

  const admin = async (...args: string[]): Promise<Record<string, string>> => {
    const env = { ...process.env, ...secrets, GANGAN_DATA_DIR: system.folder, GANGAN_ACTOR: 'ada' };
    const { stdout } = await promisify(execFile)('node', [program, ...args, '--json', '--yes'], { env });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const post = (path: string, body: object) => system.request({ method: 'POST', path, key, body });
  const bring = (provider: string, content: object, secret?: string): Promise<Response> => {
    const body = JSON.stringify(content);
    const signature = secret === undefined ? '' : createHmac('sha256', secret).update(body).digest('hex');
    return fetch(`${system.url}${paths[provider]}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    });
  };
  const listed = async (query: string) => {
    const { body } = await system.request({ path: `/inbox?${query}`, key });
    return (body as { readonly messages: readonly Record<string, string>[] }).messages;
  };
  const events = (): Event[] => consumer.seen.map((seen) => JSON.parse(seen.body) as Event);
  const reply = (id: string, content: string) =>
    until('the route is used', async () => {
      const answer = await post('/sms/send', { reply_to: id, content });
      return answer.status === 200 && (answer.body as Record<string, string>);
    });

  it('receives an SMS once, reports it, and sends the reply', async () => {
    const message = { type: 'inbound', message_id: 'a1', receiver: '22345', sender: '2348031234567' };
    const sms = (id: string) => ({ ...message, id, message: 'Where is my order?' });
    // Repeated by the provider, in requests that differ.
    const answers = await Promise.all(['1', '2', '2', '3'].map((id) => bring('termii', sms(id))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const shown = await until('the message is listed', async () => (await listed('number=22345'))[0]);
    expect(shown).toMatchObject({
      ...{ channel: 'sms', number: '22345', sender: '+2348031234567', text: 'Where is my order?' },
    });
    expect((await system.request({ path: `/inbox/${shown['id']}`, key })).body).toEqual(shown);
    await until('the event arrives', () => events().length > 0);
    expect(events()[0]).toMatchObject({ type: 'message.received', data: shown });

    const sent = await reply(shown['id'] ?? '', 'It has left.');
    expect(sent).toMatchObject({ reply_to: shown['id'], sender_id: '22345', recipients: ['+2348031234567'] });
    await until('Termii has the reply', () => termii.sent.length === 1);
    expect(termii.sent[0]).toMatchObject({ to: '2348031234567', from: '22345', sms: 'It has left.' });
    const found = await system.request({ path: `/sms/${sent['id']}`, key });
    expect(found.body).toMatchObject({ reply_to: shown['id'], channel: 'sms' });
  });

  it('receives a WhatsApp message of a signed webhook, and sends the reply', async () => {
    const metadata = { display_phone_number: '15550783881', phone_number_id: phoneNumberId };
    const message = { from: '2348031234568', id: 'wamid.in', timestamp: '1794735000', type: 'text' };
    const value = {
      ...{ messaging_product: 'whatsapp', metadata },
      messages: [{ ...message, timestamp: String(Math.floor(Date.now() / 1_000)), text: { body: 'Hello' } }],
    };
    const webhook = {
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
    };
    expect((await bring('whatsapp', webhook, 'a forger')).status).toBe(404);
    expect((await bring('whatsapp', webhook, secrets.WHATSAPP_APP_SECRET)).status).toBe(200);
    const shown = await until('the message is listed', async () => (await listed('channel=whatsapp'))[0]);
    expect(shown).toMatchObject({ number: '+15550783881', sender: '+2348031234568', text: 'Hello' });
    const isReceived = ({ data }: Event): boolean => data['id'] === shown['id'];
    await until('the event arrives', () => events().some(isReceived));
    expect(events().filter(isReceived)).toHaveLength(1);

    const sent = await reply(shown['id'] ?? '', 'Good morning');
    expect(sent).toMatchObject({ sender_id: '+15550783881', recipients: ['+2348031234568'] });
    await until('WhatsApp has the reply', () => graph.sent.length === 1);
    expect(graph.sent[0]).toMatchObject({ to: '+2348031234568', text: { body: 'Good morning' } });
  });

  it('keeps a message to a number that is not assigned, until it is', async () => {
    const message = { type: 'inbound', message_id: 'b1', receiver: '33445', sender: '2348031234567' };
    expect((await bring('termii', { ...message, message: 'Later' })).status).toBe(200);
    const fault = await until('the request is read', async () => {
      const rows = (await admin('inbound', 'list', '--state', 'unparsed')) as unknown as {
        readonly fault: string;
      }[];
      return rows[0]?.fault;
    });
    expect(fault).toContain('pnpm admin numbers assign');
    await admin('numbers', 'assign', 'acme/live', '33445');
    await admin('inbound', 'replay', '--provider', 'termii');
    const shown = await until('the message is listed', async () => (await listed('number=33445'))[0]);
    expect(shown['text']).toBe('Later');
  });
}

describe('with the queue in Postgres', () => {
  describeInbox();
});

describeWithRedis('with the queue in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true });
  });
  afterAll(() => redis.stop());
  describeInbox(() => redis);
});
