import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
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

const secrets = { TERMII_API_KEY: 'TLsecretKeyOfTheAccount', TERMII_SECRET_KEY: 'tsk_signs_the_reports' };
const program = new URL('../../../tools/admin/dist/main.js', import.meta.url).pathname;

/** From the first command to the delivered message, for either queue backend. */
function describeReports(redis?: () => TestRedis): void {
  let system: TestSystem;
  let termii: FakeTermii;
  let consumer: CallbackConsumer;
  beforeAll(async () => {
    termii = await FakeTermii.start(secrets.TERMII_API_KEY);
    consumer = await CallbackConsumer.start((_, response) => response.end());
    system = await TestSystem.open({ SIMULATE_LIVE: 'false', ...(redis && { REDIS_URL: redis().url }) });
    await system.start();
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

  it('delivers a message of a live organisation, and reports it to its callback', async () => {
    await admin(
      ...['providers', 'add', 'termii', '--preset', 'termii', '--registered-senders', 'no'],
      ...['--secret', 'api_key=TERMII_API_KEY', '--secret', 'signing_key=TERMII_SECRET_KEY'],
      ...['--set', `request.url=${termii.url}`, '--set', 'allowPrivate=true'],
      ...['--set', 'inbound.hmac.header=X-Termii-Signature', '--set', 'inbound.hmac.algorithm=sha512'],
      ...['--set', 'inbound.hmac.secret={secret.signing_key}'],
    );
    await admin('routes', 'add', 'termii');
    const { path = '' } = await admin('providers', 'inbound-url', 'termii');
    await admin('organisations', 'create', 'Acme', '--sender', 'Acme');
    await admin('top-up', 'acme/live', '1000', '--reference', 'INV-1');
    const { key = '' } = await admin('keys', 'issue', 'acme/live', '--name', 'Production');
    const body = {
      recipients: '08031234567',
      sender_id: 'Acme',
      content: 'Hello',
      callback: `http://127.0.0.1:${consumer.port}/`,
    };
    const sent = await until('the route is used', async () => {
      const answer = await system.request({ method: 'POST', path: '/sms/send', key, body });
      return answer.status === 200 && (answer.body as { id: string });
    });
    await until('Termii has the message', () => termii.sent.length === 1);

    const report = JSON.stringify({
      type: 'outbound',
      message_id: '3017544054459083819800001',
      receiver: '2348031234567',
      status: 'DELIVERED | Message delivered to handset',
      channel: 'dnd',
    });
    const post = (signature: string): Promise<Response> =>
      fetch(`${system.url}${path}`, {
        method: 'POST',
        body: report,
        headers: { 'content-type': 'application/json', 'x-termii-signature': signature },
      });
    const signature = createHmac('sha512', secrets.TERMII_SECRET_KEY).update(report).digest('hex');
    expect((await post('forged')).status).toBe(404);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(signature)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));

    const types = () => consumer.seen.map((seen) => (JSON.parse(seen.body) as { type: string }).type);
    await until('the callback arrives', () => types().includes('message.delivered'));
    expect(types().toSorted()).toEqual(['message.delivered', 'message.sent']);
    const found = await system.request({ path: `/sms/${sent.id}`, key });
    expect(found.body).toMatchObject({ deliveries: [{ status: 'delivered' }] });
  });
}

describe('with the queue in Postgres', () => {
  describeReports();
});

describeWithRedis('with the queue in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true });
  });
  afterAll(() => redis.stop());
  describeReports(() => redis);
});
