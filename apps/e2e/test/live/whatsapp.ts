import { checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until, wamidOf } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LiveOrganisation } from './live-organisation.js';
import { type LiveSystem, secrets } from './live-system.js';

export function sendsWhatsAppMessages(live: () => LiveSystem): void {
  let acme: LiveOrganisation;
  beforeAll(async () => {
    acme = await live().openOrganisation('WhatsApp');
  });
  afterAll(() => acme.close());

  it('subscribes with the verify token', async () => {
    const subscribe = (token: string): Promise<Response> => {
      const query = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': token };
      return fetch(`${live().inboundUrl('whatsapp')}?${new URLSearchParams(query).toString()}`);
    };
    const answer = await subscribe(secrets.WHATSAPP_VERIFY_TOKEN);
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    expect((await subscribe('another token')).status).toBe(404);
  });

  it('sends a message, and reports that it was read', async () => {
    const { whatsApp } = live();
    const before = whatsApp.sent.length;
    const sent = await acme.send({
      recipients: '08031234567',
      channel: 'whatsapp',
      content: 'Hello',
      callback: acme.callbackUrl,
    });
    const message = await until('WhatsApp has the message', () => whatsApp.sent[before]);
    const status = {
      id: wamidOf(before + 1, message.to),
      biz_opaque_callback_data: message.biz_opaque_callback_data,
    };
    const statuses = ['read', 'delivered', 'sent'].map((own) => ({ ...status, status: own }));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => live().bringFromWhatsApp({ statuses })),
    );
    expect(new Set(answers.map(({ status: code }) => code))).toEqual(new Set([200]));
    await until('the callback arrives', () => acme.events('message.read').length > 0);
    expect(await acme.get(`/sms/${sent['id']}`)).toMatchObject({ deliveries: [{ status: 'read' }] });
  });

  it('sends an OTP with an authentication template, and verifies it', async () => {
    const { whatsApp } = live();
    const before = whatsApp.sent.length;
    const token = '0123456';
    const { id } = await acme.sendOtp({ recipient: '08031234568', channel: 'whatsapp', token });
    await until('WhatsApp has the OTP', () => whatsApp.sent.length > before);
    const parameters = [{ type: 'text', text: token }];
    expect(whatsApp.sent.at(-1)?.template?.components).toEqual([
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ]);
    expect((await acme.post('/otp/verify', { id, token })).status).toBe(200);
  });

  it.each([
    ['that WhatsApp does not deliver', undefined],
    ['that WhatsApp refuses', { code: 131026 }],
  ])('sends an OTP %s by SMS with the same token, which is accepted once', async (_, refusal) => {
    const [token, recipient] = ['7351960', '08031234570'];
    const { whatsApp, termii, database } = live();
    const [before, beforeSms] = [whatsApp.sent.length, termii.sent.length];
    whatsApp.behaviour = () => refusal ?? 'accept';
    const { id } = await acme.sendOtp({
      ...{ recipient, token, channel: 'whatsapp', fallback_channels: ['sms'] },
    });
    if (!refusal) {
      const message = await until('WhatsApp has the OTP', () => whatsApp.sent[before]);
      const errors = [{ code: 131026, title: 'Message undeliverable' }];
      const data = message.biz_opaque_callback_data;
      await live().bringFromWhatsApp({
        statuses: [
          {
            id: wamidOf(whatsApp.sent.length, message.to),
            biz_opaque_callback_data: data,
            status: 'failed',
            errors,
          },
        ],
      });
    }
    const sms = await until('the SMS arrives', () => termii.sent[beforeSms]);
    expect(JSON.stringify(sms)).toContain(token);
    whatsApp.behaviour = () => 'accept';
    expect((await acme.post('/otp/verify', { id, token })).status).toBe(200);
    expect((await acme.post('/otp/verify', { id, token })).status).toBe(409);
    expect(await acme.get(`/otp/${id}`)).toMatchObject({
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
      SELECT kind::text FROM ledger_movement
      WHERE subject_id IN (SELECT id FROM delivery WHERE otp_id = ${id}) ORDER BY kind::text`);
    expect(moved.map(({ kind }) => kind)).toEqual(['charge', 'charge', ...(refusal ? ['refund'] : [])]);
    expect(await checkLedger(database)).toMatchObject({ clean: true, findings: [] });
  });

  it('refuses a template that is paused', async () => {
    await live().admin('templates', 'sync', 'whatsapp');
    const create = async (name: string): Promise<string> => {
      const fields = { name, channel: 'whatsapp', body: 'Hello', provider_name: name, language: 'en_US' };
      return ((await acme.post('/templates', fields)).body as { id: string }).id;
    };
    const send = (id: string) =>
      acme.post('/sms/send', { recipients: '08031234569', channel: 'whatsapp', template_id: id });
    const [order, offer] = [await create('order'), await create('offer')];
    const refused = await until('the templates are known', async () => {
      const answer = await send(offer);
      return answer.status === 400 && answer;
    });
    expect(JSON.stringify(refused.body)).toContain('WhatsApp has paused the template offer (en_US)');
    expect((await send(order)).status).toBe(200);
  });
}
