import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { FakeProvider, WhatsAppMessage, WhatsAppRefusal } from '@gangan/testing';
import { fakeWhatsApp } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LiveFixture } from '../support/live-fixture.js';
import { ManualLimits } from '../support/manual-limits.js';
import { storeWhatsApp, whatsAppSecrets } from '../support/stored-providers.js';

const phoneNumberId = '106540352242922';

describe('WhatsApp', () => {
  const live = LiveFixture.use(() => ({ limits: (limits = new ManualLimits()) }));
  const { fixture } = live;
  let server: FakeProvider<WhatsAppMessage, WhatsAppRefusal>;
  let limits: ManualLimits;
  beforeEach(async () => {
    server = await live.serve(() =>
      fakeWhatsApp({ phoneNumberId, accessToken: whatsAppSecrets.access_token }),
    );
    const url = new URL(server.url).origin;
    const id = await storeWhatsApp(fixture.database, live.worker.sealer, 'whatsapp', { phoneNumberId, url });
    await live.route([id], { channel: 'whatsapp' });
  });

  const send = (request: Parameters<LiveFixture['send']>[0] = {}): Promise<string[]> =>
    live.send({ channel: 'whatsapp', ...request });
  /** @returns its id */
  const template = async (body = 'Your order is on its way'): Promise<string> => {
    const { id } = await fixture.database.template.create({
      data: {
        id: newId(),
        organisationId: live.organisationId,
        name: 'Order',
        channel: 'whatsapp',
        body,
        providerName: 'order_on_its_way',
        language: 'en_US',
        variables: body.includes('{{') ? ['name', 'number'] : [],
      },
    });
    return id;
  };
  /** As `pnpm admin templates sync` stores it. */
  const known = async (status: string, reason: string | null, syncedAt = 'now'): Promise<void> => {
    await fixture.database.execute(sql`
      INSERT INTO provider_template (provider, name, language, status, reason, synced_at)
      VALUES ('whatsapp', 'order_on_its_way', 'en_US', ${status}, ${reason}, ${syncedAt}::timestamptz)`);
    await live.refresh();
  };
  const refuse = (code: number): void => {
    server.behaviour = () => ({ code });
  };

  it('sends a text with our reference', async () => {
    const [id = ''] = await send({ content: 'Hello {reference}' });
    expect(await fixture.states([id])).toEqual(['sent']);
    expect(server.sent).toMatchObject([
      { to: '+2348031234567', text: { body: 'Hello {reference}' }, biz_opaque_callback_data: id },
    ]);
  });

  it('sends a template with the values of each recipient, in the order of the carrier', async () => {
    const templateId = await template('Order {{number}} for {{name}}');
    const [id = ''] = await send({
      template_id: templateId,
      personalisation: [{ to: '+2348031234567', substitutions: { name: 'Ada', number: '7' } }],
    });
    expect(await fixture.states([id])).toEqual(['sent']);
    const parameters = ['Ada', '7'].map((text) => ({ type: 'text', text }));
    expect(server.sent[0]?.template).toMatchObject({
      name: 'order_on_its_way',
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters }],
    });
  });

  it.each([
    ['REJECTED', 'INVALID_FORMAT', 'rejected the template order_on_its_way (en_US): INVALID_FORMAT'],
    ['PAUSED', null, 'paused the template order_on_its_way (en_US)'],
    ['DISABLED', null, 'disabled the template order_on_its_way (en_US)'],
  ])('rejects a message before it is charged if its template is %s', async (status, reason, text) => {
    const templateId = await template();
    await known(status, reason);
    const before = await live.counts();
    await expect(send({ template_id: templateId })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'template_id', message: expect.stringContaining(text) }],
    });
    expect(await live.counts()).toEqual(before);
    expect(server.requests).toBe(0);
    expect(await fixture.states(await send())).toEqual(['sent']);
  });

  it('ignores providers that the organisation cannot use when the recipients are not known yet', async () => {
    await known('REJECTED', null);
    const url = new URL(server.url).origin;
    const settings = { phoneNumberId, url };
    const id = await storeWhatsApp(fixture.database, live.worker.sealer, 'other', settings);
    const fault = async (enabled: boolean) => {
      await fixture.database.provider.update({ where: { id }, data: { enabled } });
      await live.refresh();
      const from = { organisationId: live.organisationId, mode: 'live', channel: 'whatsapp' } as const;
      const template = { templateProviderName: 'order_on_its_way', templateLanguage: 'en_US' };
      return live.worker.providers.findTemplateFault(
        { sender: 'Acme', category: 'transactional', ...from, ...template },
        undefined,
      );
    };
    expect(await fault(true)).toBeUndefined();
    expect(await fault(false)).toMatchObject({ provider: 'whatsapp', status: 'REJECTED' });
  });

  it.each([
    ['APPROVED', 'now'],
    ['PENDING', 'now'],
    ['PAUSED', '2026-01-01'],
  ])('itself decides about a template that is %s (%s)', async (status, syncedAt) => {
    const templateId = await template();
    await known(status, null, syncedAt);
    expect(await fixture.states(await send({ template_id: templateId }))).toEqual(['sent']);
  });

  it('does not get a message again whose answer was lost', async () => {
    server.behaviour = () => 'lost';
    const [id = ''] = await send();
    await live.retry();
    expect(server.sent).toHaveLength(1);
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
  });

  it('refuses free text outside the window, which is refunded', async () => {
    refuse(131_047);
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({
      state: 'failed',
      code: 'window_closed',
      refunded: true,
    });
  });

  it.each([
    [131_047, 'window_closed'],
    [132_001, 'template_unknown'],
    [132_007, 'template_rejected'],
    [132_015, 'template_paused'],
    [132_016, 'template_disabled'],
  ])('tries the next number of the route if one refuses with the error %i', async (code, reason) => {
    const other = await live.serve(() =>
      fakeWhatsApp({ phoneNumberId: '7', accessToken: whatsAppSecrets.access_token }),
    );
    await fixture.database.execute(sql`TRUNCATE route CASCADE`);
    const settings = { phoneNumberId: '7', url: new URL(other.url).origin };
    const id = await storeWhatsApp(fixture.database, live.worker.sealer, 'other', settings);
    const first = await fixture.database.provider.findFirstOrThrow({ where: { name: 'whatsapp' } });
    await live.route([first.id, id], { channel: 'whatsapp' });
    refuse(code);
    const templateId = await template();
    const sent = await send({ template_id: templateId });
    await live.retry();
    expect(await fixture.states(sent)).toEqual(['sent']);
    expect(await fixture.attempts(sent[0] ?? '')).toEqual([
      { provider: 'whatsapp', outcome: 'transient' },
      { provider: 'other', outcome: 'accepted' },
    ]);
    other.behaviour = () => ({ code });
    const [refused = ''] = await send({ template_id: templateId, recipients: '+2348031234568' });
    for (let round = 0; round < 8; round += 1) await live.retry();
    expect(await fixture.stored(refused)).toMatchObject({ state: 'failed', code: reason, refunded: true });
  });

  it('keeps trying a recipient that had too many messages, without slowing down the others', async () => {
    refuse(131_056);
    const [id = ''] = await send();
    for (let round = 0; round < 6; round += 1) await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'queued', code: 'pair_limit' });
    expect(live.worker.health.rateOf({ name: 'whatsapp', rate: 72 })).toBe(72);
    server.behaviour = () => 'accept';
    await live.retry();
    expect(await fixture.states([id])).toEqual(['sent']);
  });

  it('holds messages back before a recipient has too many', async () => {
    const before = server.requests;
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) ids.push(...(await send()));
    const [other = ''] = await send({ recipients: '+2348031234568' });
    const states = await fixture.states(ids);
    expect(states.filter((state) => state === 'sent')).toHaveLength(10);
    expect(states.filter((state) => state === 'queued')).toHaveLength(2);
    expect(await fixture.states([other])).toEqual(['sent']);
    expect(server.requests - before).toBe(11);
    limits.refill();
    await live.retry();
    expect(new Set(await fixture.states(ids))).toEqual(new Set(['sent']));
  });

  it('stays below the throughput of a number, and slows down if WhatsApp says so', async () => {
    await send();
    const { perSecond = 0, burst = 0 } = limits.limits.get('provider:whatsapp') ?? {};
    expect(perSecond + burst).toBeLessThanOrEqual(80);
    refuse(130_429);
    const [id = ''] = await send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'queued', code: 'throttled' });
    expect(live.worker.health.rateOf({ name: 'whatsapp', rate: 72 })).toBeLessThan(40);
  });

  it.each([80_007, 4])('slows down after the error %i', async (code) => {
    refuse(code);
    await send();
    expect(live.worker.health.rateOf({ name: 'whatsapp', rate: 72 })).toBeLessThan(40);
  });
});
