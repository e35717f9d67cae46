import { issueKey, sql } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import { aPayment, CallbackConsumer, type SeenCallback, type TestResponse, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { admin } from '../support/admin-command.js';
import { bytesOf, signatureOf } from '../support/callback-signature.js';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';
import { rowsWith } from './rows-with.js';

const token = '4815162342';
const providerSecret = 'TLuncharacteristically';

/** Needs `SEAL_MESSAGES`. */
export function sealsSecretsAtRest(running: RunningSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Sealed');
  let consumer: CallbackConsumer;

  beforeAll(async () => {
    consumer = await CallbackConsumer.start((_, response) => response.end());
  });
  afterAll(() => consumer.stop());

  it('contains no text of a message with SEAL_MESSAGES, which its organisation reads as before', async () => {
    const [word, name, link] = ['Uncopyrightable', 'Bartholomew', 'https://shop.example/dermatoglyphics'];
    const ask = (path: string, body?: object) =>
      system().request({
        method: body ? 'POST' : 'GET',
        path,
        key: key(),
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
      key: key(),
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
    const [{ code } = { code: '' }] = await database().query<{ code: string }>(sql`
      SELECT code FROM tracked_link JOIN delivery ON delivery.id = delivery_id
      WHERE message_id = ${(sent.body as { id: string }).id}`);
    expect(await system().request({ path: `/l/${code}` })).toMatchObject({
      status: 302,
      headers: { location: link },
    });
    expect(await rowsWith(database(), ['08031234561'])).not.toEqual([]);
    expect(await rowsWith(database(), [word, name, link])).toEqual([]);
  });

  it('contains no secret after an OTP, signed callbacks and a rotation', async () => {
    const run = <T>(...args: string[]): Promise<T> =>
      admin<T>({ GANGAN_DATA_DIR: system().folder, TERMII_API_KEY: providerSecret }, ...args);
    const { organisations } = await run<{
      organisations: { id: string; mode: string; callback_secret: string }[];
    }>('organisations', 'create', 'Secretive');
    const test = organisations.find(({ mode }) => mode === 'test');
    const first = test?.callback_secret ?? '';
    const organisationId = test?.id ?? '';
    const input = { organisationId, name: 'Secretive', scopes: keyScopes };
    const { key: issued } = await issueKey(database(), 'test', input);
    await aPayment(database(), organisationId, 1_000_000n);
    const post = (path: string, body: object): Promise<TestResponse> =>
      system().request({ method: 'POST', path, key: issued, body });
    const buy = async (amount: number): Promise<SeenCallback> => {
      const { status, body: bought } = await post('/airtime/buy', {
        network: 'MTN',
        amount,
        recipient: '08031234567',
        callback: `http://127.0.0.1:${consumer.port}/`,
      });
      expect([status, bought]).toEqual([200, bought]);
      const { id } = bought as { id: string };
      return until('the purchase is reported', () =>
        consumer.seen.find(({ body }) => body.includes(id) && body.includes('airtime.success')),
      );
    };

    const earlier = await buy(100);
    expect(signatures(earlier)).toEqual([signatureOf(earlier, first)]);
    const { callback_secret: second } = await run<{ callback_secret: string }>(
      ...['secrets', 'rotate', 'secretive/test'],
    );
    const report = await buy(200);
    expect(signatures(report)).toEqual([signatureOf(report, second), signatureOf(report, first)]);

    const preset = ['--preset', 'termii', '--secret', 'api_key=TERMII_API_KEY'];
    await run('providers', 'add', 'sealed-termii', '--organisation', 'secretive/live', ...preset);
    await run('providers', 'set', 'sealed-termii', '--rate', '10');

    const setStatus = (status: 'active' | 'suspended') =>
      database().organisation.update({ where: { id: organisationId }, data: { status } });
    // The OTP waits for its delivery, because the gateway has not read yet that its organisation is suspended.
    const otp = await until('an OTP is accepted', async () => {
      await setStatus('active');
      await until('the key is accepted', async () => {
        const { status } = await system().request({ path: '/balance', key: issued });
        return status === 200;
      });
      await setStatus('suspended');
      const answer = await post('/otp/request_token', { recipient: '08031234568', token });
      return answer.status === 200 && (answer.body as { id: string });
    });
    const secrets = [...organisations.map(({ callback_secret: secret }) => secret), second];
    const written = await rowsWith(database(), ['+2348031234568', otp.id, 'v3.api.termii.com']);
    expect(new Set(written.map(({ text }) => text)).size).toBe(3);
    expect(written).toContainEqual({ text: otp.id, table: 'public.delivery' });
    expect(
      await rowsWith(database(), [
        ...[token, issued, providerSecret, ...secrets],
        ...secrets.map((secret) => secret.slice('whsec_'.length)),
        ...secrets.map(bytesOf),
      ]),
    ).toEqual([]);
    await setStatus('active');
    const verified = await until('the key is accepted again', async () => {
      const answer = await post('/otp/verify', { id: otp.id, token });
      return answer.status !== 403 && answer;
    });
    expect(verified.status).toBe(200);
  });
}

const signatures = ({ headers }: SeenCallback): string[] => String(headers['webhook-signature']).split(' ');
