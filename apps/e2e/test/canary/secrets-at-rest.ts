import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CallbackConsumer, type SeenCallback, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { bytesOf, signatureOf } from '../callback-signature.js';
import type { RunningSystem } from '../journeys/running.js';
import { dumpDatabase, linesWith } from './dump-database.js';

const adminScript = fileURLToPath(new URL('../../../../tools/admin/dist/main.js', import.meta.url));
const token = '4815162342';
const providerSecret = 'TLuncharacteristically';

/** Needs `SEAL_MESSAGES`, and runs first: it expects no other messages of the demo organisation. */
export function sealsSecretsAtRest({ system, database }: RunningSystem): void {
  let consumer: CallbackConsumer;

  beforeAll(async () => {
    consumer = await CallbackConsumer.start((_, response) => response.end());
  });
  afterAll(() => consumer.stop());

  const admin = async <T>(...given: string[]): Promise<T> => {
    const env = {
      PATH: process.env['PATH'],
      GANGAN_DATA_DIR: system().folder,
      TERMII_API_KEY: providerSecret,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [adminScript, ...given, '--json'], {
      env,
    });
    return JSON.parse(stdout) as T;
  };

  it('are the texts of messages with SEAL_MESSAGES, which their organisation reads as before', async () => {
    const key = 'sk_test_demo';
    const [word, name, link] = ['Uncopyrightable', 'Bartholomew', 'https://shop.example/dermatoglyphics'];
    const ask = (path: string, body?: object) =>
      system().request({
        method: body ? 'POST' : 'GET',
        path,
        key,
        ...(body && { body }),
        headers: { 'idempotency-key': 'sealed' },
      });
    const template = await ask('/templates', { name: 'Sealed', channel: 'sms', body: 'Hello {{name}}' });
    const { id: templateId } = template.body as { id: string };
    const plain = { recipients: '08031234561', content: `${word} ${link}`, is_trackable: true };
    const sent = await ask('/sms/send', plain);
    expect(sent).toMatchObject({ status: 200, body: { content: plain.content } });
    expect(await ask('/sms/send', plain)).toMatchObject({ status: 200, body: sent.body });
    const personal = await system().request({
      method: 'POST',
      path: '/sms/send',
      key,
      body: {
        recipients: '08031234562',
        template_id: templateId,
        personalisation: [{ to: '08031234562', substitutions: { name } }],
      },
    });
    expect(personal.status).toBe(200);
    for (const { body } of [sent, personal]) {
      const { id } = body as { id: string };
      await until('the message is delivered', async () => {
        const { body: found } = await ask(`/sms/${id}`);
        return (found as { deliveries: { status: string }[] }).deliveries.every(
          ({ status }) => status === 'delivered',
        );
      });
    }
    expect(await ask('/sms')).toMatchObject({
      body: { messages: [{ content: 'Hello {{name}}' }, { content: plain.content }] },
    });
    const { id } = personal.body as { id: string };
    expect(await ask(`/sms/${id}`)).toMatchObject({
      body: { personalisation: [{ to: '08031234562', substitutions: { name } }] },
    });
    const [{ code } = { code: '' }] = await database().trackedLink.findMany();
    expect(await system().request({ path: `/l/${code}` })).toMatchObject({
      status: 302,
      headers: { location: link },
    });
    const dump = await dumpDatabase(database());
    expect(linesWith('08031234561', dump)).not.toEqual([]);
    for (const text of [word, name, link]) expect(linesWith(text, dump)).toEqual([]);
  });

  it('are in no row of the database, after an OTP, signed callbacks and a rotation', async () => {
    const { organisations } = await admin<{ organisations: { mode: string; callback_secret: string }[] }>(
      ...['organisations', 'create', 'Acme'],
    );
    const first = organisations.find(({ mode }) => mode === 'test')?.callback_secret ?? '';
    const { key } = await admin<{ key: string }>('keys', 'issue', 'acme/test', '--name', 'Test');
    await admin('top-up', 'acme/test', '10000', '--reference', 'INV-1');
    const post = async (path: string, body: object): Promise<{ id: string }> => {
      const answer = await system().request({ method: 'POST', path, key, body });
      expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
      return answer.body as { id: string };
    };
    const buy = async (amount: number): Promise<SeenCallback> => {
      const { id } = await post('/airtime/buy', {
        network: 'MTN',
        amount,
        recipient: '08031234567',
        callback: `http://127.0.0.1:${consumer.port}/`,
      });
      return until('the purchase is reported', () =>
        consumer.seen.find(({ body }) => body.includes(id) && body.includes('airtime.success')),
      );
    };

    const earlier = await buy(100);
    expect(signatures(earlier)).toEqual([signatureOf(earlier, first)]);
    const { callback_secret: second } = await admin<{ callback_secret: string }>(
      ...['secrets', 'rotate', 'acme/test'],
    );
    const report = await buy(200);
    expect(signatures(report)).toEqual([signatureOf(report, second), signatureOf(report, first)]);

    const preset = ['--preset', 'termii', '--secret', 'api_key=TERMII_API_KEY'];
    await admin('providers', 'add', 'termii', ...preset);
    await admin('providers', 'set', 'termii', '--rate', '10');

    // The OTP waits for its delivery.
    const messaging = system().apps()['messaging'] ?? 0;
    process.kill(messaging, 'SIGSTOP');
    try {
      const { id } = await post('/otp/request_token', { recipient: '08031234568', token });
      const dump = await dumpDatabase(database());
      expect(linesWith('+2348031234568', dump)).not.toEqual([]);
      expect(linesWith(id, dump).some((line) => line.startsWith('public.delivery '))).toBe(true);
      const secrets = [...organisations.map(({ callback_secret }) => callback_secret), second];
      expect(linesWith('v3.api.termii.com', dump)).not.toEqual([]);
      for (const secret of [
        token,
        key,
        providerSecret,
        ...secrets.flatMap((each) => [each, each.slice('whsec_'.length)]),
      ])
        expect(linesWith(secret, dump)).toEqual([]);
      expect(dump).not.toContain(Buffer.from(providerSecret).toString('hex'));
      for (const secret of secrets) expect(dump).not.toContain(bytesOf(secret).toString('hex'));
      process.kill(messaging, 'SIGCONT');
      await post('/otp/verify', { id, token });
    } finally {
      process.kill(messaging, 'SIGCONT');
    }
  });
}

const signatures = ({ headers }: SeenCallback): string[] => String(headers['webhook-signature']).split(' ');
