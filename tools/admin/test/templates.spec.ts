import { sql } from '@gangan/database';
import {
  FakeProvider,
  type FakeTemplate,
  fakeWhatsApp,
  type WhatsAppMessage,
  type WhatsAppRefusal,
} from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

const secrets = {
  WHATSAPP_TOKEN: 'the access token',
  WHATSAPP_APP_SECRET: 'the app secret',
  WHATSAPP_VERIFY_TOKEN: 'the verify token',
  WRONG_TOKEN: 'another access token',
};
const [phoneNumberId, accountId] = ['106540352242922', '102290129340398'];
const template = (name: string, status: string, others: Partial<FakeTemplate> = {}): FakeTemplate => ({
  id: name,
  name,
  language: 'en_US',
  status,
  category: 'UTILITY',
  ...others,
});

describe('providers of the kind whatsapp', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli(secrets);
  let server: FakeProvider<WhatsAppMessage, WhatsAppRefusal>;
  beforeAll(async () => {
    const templates = [
      template('order', 'APPROVED', { rejected_reason: 'NONE' }),
      template('offer', 'REJECTED', { rejected_reason: 'INVALID_FORMAT', category: 'MARKETING' }),
      template('offer', 'PAUSED', { language: 'fr' }),
      template('code', 'APPROVED', { category: 'AUTHENTICATION' }),
      template('new', 'PENDING'),
    ];
    const accessToken = secrets.WHATSAPP_TOKEN;
    server = await FakeProvider.start(fakeWhatsApp({ phoneNumberId, accountId, accessToken, templates }));
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route, provider_template CASCADE`);
  });

  const add = (...options: string[]): Promise<object> =>
    admin.json(
      ...['providers', 'add', 'whatsapp', '--kind', 'whatsapp', '--set', `phoneNumberId=${phoneNumberId}`],
      ...['--set', `url=${new URL(server.url).origin}`, '--set', 'allowPrivate=true'],
      ...['--secret', 'access_token=WHATSAPP_TOKEN', '--secret', 'app_secret=WHATSAPP_APP_SECRET'],
      ...['--secret', 'verify_token=WHATSAPP_VERIFY_TOKEN', ...options],
    );

  it('are for WhatsApp, have an address for webhooks, and can be tested', async () => {
    expect(await add()).toMatchObject({ kind: 'whatsapp', channels: ['whatsapp'] });
    const { path } = await admin.json<{ path: string }>('providers', 'inbound-url', 'whatsapp');
    expect(path).toMatch(/^\/in\/whatsapp\/.{43}$/);
    expect(await admin.json('providers', 'test', 'whatsapp', '08031234567', '--yes')).toMatchObject({
      outcome: 'accepted',
    });
    const test = ['providers', 'test', 'whatsapp', '08031234567', '--template', 'hello_world', '--yes'];
    expect(await admin.json(...test)).toMatchObject({ outcome: 'accepted' });
    expect(server.sent.at(-1)).toMatchObject({ type: 'template', template: { name: 'hello_world' } });
  });

  it('have templates, which are read with their approval', async () => {
    await add('--set', `accountId=${accountId}`);
    const expected = [
      { provider: 'whatsapp', name: 'code', status: 'APPROVED', category: 'AUTHENTICATION' },
      { provider: 'whatsapp', name: 'new', status: 'PENDING' },
      {
        provider: 'whatsapp',
        name: 'offer',
        language: 'en_US',
        status: 'REJECTED',
        reason: 'INVALID_FORMAT',
      },
      { provider: 'whatsapp', name: 'offer', language: 'fr', status: 'PAUSED' },
      { provider: 'whatsapp', name: 'order', status: 'APPROVED' },
    ];
    expect(await admin.json('templates', 'sync', 'whatsapp')).toMatchObject(expected);
    expect(await admin.json('templates', 'sync', 'whatsapp')).toMatchObject(expected);
    expect(await admin.json('templates', 'list', '--provider', 'whatsapp')).toMatchObject(expected);
    await admin.json('providers', 'remove', 'whatsapp', '--yes');
    expect(await admin.json('templates', 'list')).toEqual([]);
  });

  it('keep their templates if WhatsApp refuses to show them, and the reason has no secret', async () => {
    await add('--set', `accountId=${accountId}`);
    await admin.json('templates', 'sync', 'whatsapp');
    await admin.json(
      ...['providers', 'set', 'whatsapp', '--secret', 'access_token=WRONG_TOKEN'],
      ...['--secret', 'app_secret=WHATSAPP_APP_SECRET', '--secret', 'verify_token=WHATSAPP_VERIFY_TOKEN'],
    );
    const { code, err } = await admin.run('templates', 'sync', 'whatsapp');
    expect(code).toBe(1);
    expect(err).toContain('401');
    expect(err).not.toContain(secrets.WRONG_TOKEN);
    expect(await admin.json<object[]>('templates', 'list')).toHaveLength(5);
  });

  it('need the id of their account to read templates', async () => {
    await add();
    const { code, err } = await admin.run('templates', 'sync', 'whatsapp');
    expect([code, err]).toEqual([1, expect.stringContaining('accountId')]);
  });
});
