import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  CallbackConsumer,
  describeWithRedis,
  FakeTermii,
  startRedis,
  type TestRedis,
  TestSystem,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const secrets = { TERMII_API_KEY: 'TLsecretKeyOfTheAccount' };
const program = new URL('../../../tools/admin/dist/main.js', import.meta.url).pathname;
const [phone, number, helpText] = ['+2348031234567', '22345', 'Acme: STOP ends our offers'];

interface Details {
  readonly deliveries: readonly {
    readonly status: string;
    readonly refunded: boolean;
    readonly error?: { readonly code: string };
  }[];
}

/** From the webhook of a provider to the next message, for either queue backend. */
function describeKeywords(redis?: () => TestRedis): void {
  let system: TestSystem;
  let termii: FakeTermii;
  let consumer: CallbackConsumer;
  let path = '';
  let key = '';
  beforeAll(async () => {
    termii = await FakeTermii.start(secrets.TERMII_API_KEY);
    consumer = await CallbackConsumer.start((_, response) => response.end());
    system = await TestSystem.open({ SIMULATE_LIVE: 'false', ...(redis && { REDIS_URL: redis().url }) });
    await system.start();
    await admin(
      ...['providers', 'add', 'termii', '--preset', 'termii', '--registered-senders', 'no'],
      ...['--secret', 'api_key=TERMII_API_KEY', '--set', `request.url=${termii.url}`],
      ...['--set', 'allowPrivate=true'],
    );
    await admin('routes', 'add', 'termii');
    ({ path = '' } = await admin('providers', 'inbound-url', 'termii'));
    await admin('organisations', 'create', 'Acme', '--sender', 'Acme');
    await admin('top-up', 'acme/live', '1000', '--reference', 'INV-1');
    await admin('optouts', 'set', 'acme/live', '--stop-words', 'ARRETER', '--help-text', helpText);
    ({ key = '' } = await admin('keys', 'issue', 'acme/live', '--name', 'Production'));
    await admin('numbers', 'assign', 'acme/live', number);
    const body = {
      url: `http://127.0.0.1:${consumer.port}/`,
      events: ['recipient.opted_out', 'message.received'],
    };
    await post('/callbacks/endpoints', body);
    await until('the route is used', async () => (await send('transactional')) === 'sent');
  });
  afterAll(async () => {
    await system.stop();
    await system.close();
    await termii.stop();
    await consumer.stop();
  });

  const admin = async (...args: string[]): Promise<Record<string, string>> => {
    const env = { ...process.env, ...secrets, GANGAN_DATA_DIR: system.folder, GANGAN_ACTOR: 'ada' };
    const { stdout } = await promisify(execFile)('node', [program, ...args, '--json', '--yes'], { env });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const get = async <T>(from: string): Promise<T> => (await system.request({ path: from, key })).body as T;
  const post = (to: string, body: object) => system.request({ method: 'POST', path: to, key, body });
  const balance = async () => (await get<{ available_balance: number }>('/balance')).available_balance;
  const events = (type: string) =>
    consumer.seen
      .map(({ body }) => JSON.parse(body) as { type: string; data: { text?: string } })
      .filter((event) => event.type === type)
      .map(({ data }) => data);
  const optOutEvents = () => events('recipient.opted_out');

  /** Sends a message and waits until it was sent or rejected. */
  const send = async (category: string): Promise<string> => {
    const answer = await post('/sms/send', { recipients: phone, content: 'Hello', category });
    if (answer.status !== 200) return String(answer.status);
    const { id } = answer.body as { id: string };
    const [delivery] = await until('the message was sent or rejected', async () => {
      const { deliveries } = await get<Details>(`/sms/${id}`);
      return deliveries[0]?.status !== 'queued' && deliveries;
    });
    const { status = '', refunded, error } = delivery ?? {};
    return [status, ...(error ? [error.code] : []), ...(refunded ? ['refunded'] : [])].join(' ');
  };

  let messages = 0;
  /** As the provider brings a message, which it repeats. */
  const receive = async (message: string): Promise<void> => {
    const id = String((messages += 1));
    const fields = { type: 'inbound', sender: phone.slice(1), receiver: number, message, message_id: id };
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, attempt) =>
        fetch(`${system.url}${path}`, {
          method: 'POST',
          body: JSON.stringify({ ...fields, attempt }),
          headers: { 'content-type': 'application/json' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  };
  const optedOut = async (): Promise<boolean> =>
    (await get<{ opt_outs: unknown[] }>(`/optouts?phone=${encodeURIComponent(phone)}`)).opt_outs.length === 1;

  it.each(['STOP', 'Arrêter!'])('%s stops promotional messages only, until START', async (word) => {
    const [before, reported] = [await balance(), optOutEvents().length];
    expect(await send('promotional')).toBe('sent');
    const price = before - (await balance());
    expect(price).toBeGreaterThan(0);
    await receive(word);
    await until('the number has opted out', optedOut);
    expect(await send('promotional')).toBe('rejected opted_out refunded');
    expect(await balance()).toBe(before - price);
    expect(await send('transactional')).toBe('sent');
    const sent = termii.sent.length;
    expect((await post('/otp/request_token', { recipient: phone })).status).toBe(200);
    await until('the OTP was sent', () => termii.sent.length === sent + 1);
    await until('the event arrived', () => optOutEvents().length > reported);
    await receive('start');
    await until('the number has opted in', async () => !(await optedOut()));
    expect(await send('promotional')).toBe('sent');
    expect(optOutEvents().slice(reported)).toEqual([
      expect.objectContaining({ phone, source: 'message', channel: 'sms' }),
    ]);
  });

  it('HELP is answered once a day, and charged once', async () => {
    const before = await balance();
    const answers = () => termii.sent.filter(({ sms }) => sms === helpText);
    await receive('HELP');
    await until('the answer was sent', () => answers().length === 1);
    const price = before - (await balance());
    expect(price).toBeGreaterThan(0);
    await receive('help?');
    await until('the second message was read', () =>
      events('message.received').some(({ text }) => text === 'help?'),
    );
    const { messages: listed } = await get<{ messages: { id: string; content: string }[] }>('/sms');
    const [shown, ...others] = listed.filter(({ content }) => content === helpText);
    expect(others).toEqual([]);
    expect(await get(`/sms/${shown?.id}`)).toMatchObject({
      recipients: [phone],
      deliveries: [{ status: 'sent', charge: price }],
    });
    expect(await balance()).toBe(before - price);
    expect(answers()).toHaveLength(1);
    expect(await admin('ledger', 'check')).toMatchObject({ clean: true });
  });
}

describe('keywords, with the queue in Postgres', () => {
  describeKeywords();
});

describeWithRedis('keywords, with the queue in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true });
  });
  afterAll(() => redis.stop());
  describeKeywords(() => redis);
});
