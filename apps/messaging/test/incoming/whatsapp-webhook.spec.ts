import { deliveryAttempts, sql } from '@gangan/database';
import { dueNow, LeaseLostError } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { fakeWhatsApp, randomFrom, valueFor, wamidOf, whatsAppPricing } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { IncomingService } from '../../src/inbox/incoming.service.js';
import { InboundRepository } from '../../src/inbound/inbound.repository.js';
import { InboundService } from '../../src/inbound/inbound.service.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { LiveFixture } from '../support/live-fixture.js';
import { requestContents } from '../support/messaging-module.js';
import { ManualLimits } from '../support/manual-limits.js';
import { storeWhatsApp, whatsAppSecrets } from '../support/stored-providers.js';

const phoneNumberId = '106540352242922';

interface Status {
  readonly id?: string;
  readonly status: string;
  readonly biz_opaque_callback_data?: string;
  readonly recipient_id?: string;
  readonly recipient_user_id?: string;
  readonly errors?: readonly object[];
  readonly pricing?: object;
}

describe('the webhook of WhatsApp', () => {
  const live = LiveFixture.use(() => ({ limits: new ManualLimits() }));
  const { fixture } = live;
  let behaviour: 'accept' | 'lost';
  let sent: number;
  beforeEach(async () => {
    behaviour = 'accept';
    sent = 0;
    await fixture.database.execute(sql`TRUNCATE inbound_request, parked_report, message CASCADE`);
    const server = await live.serve(() =>
      fakeWhatsApp({ phoneNumberId, accessToken: whatsAppSecrets.access_token }),
    );
    server.behaviour = () => behaviour;
    const url = new URL(server.url).origin;
    const id = await storeWhatsApp(fixture.database, live.worker.sealer, 'whatsapp', { phoneNumberId, url });
    await live.route([id], { channel: 'whatsapp' });
  });

  /** A message that WhatsApp has accepted. */
  const send = async (change: object = {}) => {
    const callback = 'https://acme.example/';
    const recipients = `+23480312${String((sent += 1)).padStart(5, '0')}`;
    const [delivery = ''] = await live.send({ channel: 'whatsapp', recipients, callback, ...change });
    return { delivery, id: wamidOf(sent, recipients), biz_opaque_callback_data: delivery };
  };
  const metadata = { display_phone_number: '15550783881', phone_number_id: phoneNumberId };
  const valueOf = (value: object): object => ({
    id: '102290129340398',
    changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }],
  });
  /** With one entry per group of statuses. */
  const webhook = (...groups: (readonly Status[])[]): object => ({
    object: 'whatsapp_business_account',
    entry: groups.map((statuses) =>
      valueOf({
        statuses: statuses.map((status) => ({
          timestamp: '1750263773',
          recipient_id: '2348031234567',
          ...status,
        })),
      }),
    ),
  });
  /** As a worker stores it. */
  const receive = async (body: object): Promise<string> => {
    const id = newId();
    const sealed = requestContents.seal({ query: '', body: JSON.stringify(body) }, id);
    await fixture.database.execute(sql`
      INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
      VALUES (${id}::uuid, 'whatsapp', ${Buffer.from(id)}, 'POST', 'application/json', ${sealed}, ${dueNow})`);
    return id;
  };
  const readAll = async (by = live.worker): Promise<void> =>
    by.get(InboundService).readAll(await by.get(InboundRepository).claimDue());
  const requests = (): Promise<{ state: string; fault: string | null }[]> =>
    fixture.database.query(sql`SELECT state::text, fault FROM inbound_request ORDER BY id`);
  const handled = { state: 'handled', fault: null };
  const callbacks = async (delivery: string): Promise<string[]> => {
    const rows = await fixture.database.query<{ type: string }>(sql`
      SELECT body::jsonb ->> 'type' AS type FROM callback
      WHERE body::jsonb #>> '{data,delivery_id}' = ${delivery} ORDER BY id`);
    return rows.map(({ type }) => type);
  };

  it('reports batches of several entries, in any order and several times', async () => {
    const messages = [await send(), await send(), await send()];
    const statuses = messages.flatMap(({ id, biz_opaque_callback_data }) =>
      ['sent', 'delivered', 'read'].map((status) => ({ id, biz_opaque_callback_data, status })),
    );
    const random = randomFrom(7);
    for (let round = 0; round < 5; round += 1) {
      const shuffled = statuses
        .map((status) => ({ status, at: random() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ status }) => status);
      await receive(webhook(shuffled.slice(0, 4), shuffled.slice(4)));
      await readAll();
    }
    const ids = messages.map(({ delivery }) => delivery);
    expect(await fixture.states(ids)).toEqual(['read', 'read', 'read']);
    expect(await requests()).toEqual(Array.from({ length: 5 }, () => handled));
    for (const id of ids) {
      const types = await callbacks(id);
      expect(types.filter((type) => type === 'message.read')).toHaveLength(1);
      expect(types.filter((type) => type === 'message.delivered').length).toBeLessThan(2);
    }
  });

  describe('with prices', () => {
    const rates = { marketing: '0.0516', utility: '0.0067', authentication: '0.0067' };
    beforeEach(async () => {
      const cost = {
        currency: 'USD',
        perPart: { any: { any: '0.1' }, NG: rates, '23480312000': { service: '0.002' } },
      };
      await fixture.database.execute(sql`
        UPDATE provider SET settings = jsonb_set(settings, '{cost}', ${JSON.stringify(cost)}::jsonb)`);
      await live.refresh();
    });
    const costOf = async (id: string): Promise<bigint | null | undefined> => {
      const rows = await fixture.database.query<{ micros: bigint | null; currency: string | null }>(sql`
        SELECT cost_micros AS micros, cost_currency AS currency FROM ${deliveryAttempts} AS made WHERE delivery_id = ${id}::uuid`);
      expect(rows.filter(({ currency }) => currency !== null && currency !== 'USD')).toEqual([]);
      return rows.length === 1 ? rows[0]?.micros : undefined;
    };

    it.each([
      ['the rate of its category and country', 51_600n, whatsAppPricing('marketing')],
      ['another category', 6_700n, whatsAppPricing('authentication')],
      [
        'a category that the country has no rate for',
        100_000n,
        whatsAppPricing('authentication_international'),
      ],
      ['a service message, by the prefix', 2_000n, whatsAppPricing('service')],
      ['nothing in the window of the customer', 0n, whatsAppPricing('utility', 'free_customer_service')],
      ['nothing after a click on an advertisement', 0n, whatsAppPricing('marketing', 'free_entry_point')],
      ['nothing if it is not billable', 0n, { pricing: { billable: false, category: 'service' } }],
    ] as const)('charges %s when it is delivered, once', async (_, micros, pricing) => {
      const { delivery, ...message } = await send();
      const [{ recipient_id } = { recipient_id: '' }] = await fixture.database.query<{
        recipient_id: string;
      }>(sql`SELECT substr(recipient, 2) AS recipient_id FROM delivery WHERE id = ${delivery}::uuid`);
      // An accepted message costs nothing yet.
      expect(await costOf(delivery)).toBe(0n);
      await receive(webhook([{ ...message, status: 'sent', recipient_id, ...pricing }]));
      await readAll();
      expect(await costOf(delivery)).toBe(0n);
      const delivered = { ...message, status: 'delivered', recipient_id, ...pricing };
      await receive(webhook([delivered, delivered]));
      await receive(
        webhook([
          { ...delivered, ...whatsAppPricing('marketing') },
          { ...message, status: 'read' },
        ]),
      );
      await readAll();
      expect(await costOf(delivery)).toBe(micros);
      expect(await fixture.states([delivery])).toEqual(['read']);
    });

    it('reads the price in either of the statuses that have it, in any order', async () => {
      const pricing = whatsAppPricing('marketing');
      for (const statuses of [
        [{ status: 'read', ...pricing }],
        [{ status: 'read' }, { status: 'delivered', ...pricing }],
        [{ status: 'delivered' }, { status: 'read', ...pricing }],
      ]) {
        const { delivery, ...message } = await send();
        for (const status of statuses) {
          await receive(webhook([{ ...message, ...status }]));
          await readAll();
        }
        expect(await costOf(delivery)).toBe(51_600n);
      }
    });

    it('does not know the cost of a delivered message without a price, and charges none for a failed one', async () => {
      const [known, failed] = [await send(), await send()];
      await receive(
        webhook([
          {
            id: known.id,
            status: 'delivered',
            recipient_id: '2348031234567',
            pricing: { category: 'service' },
          },
          { id: failed.id, status: 'failed', errors: [{ code: 131_026 }] },
        ]),
      );
      await fixture.database.execute(sql`
        UPDATE provider SET settings = settings #- '{cost,perPart,any}' #- '{cost,perPart,23480312000}'`);
      await readAll();
      expect(await costOf(known.delivery)).toBeNull();
      expect(await costOf(failed.delivery)).toBe(0n);
      // The report is read again when the operator has given a rate.
      await fixture.database.execute(sql`
        UPDATE provider SET settings = jsonb_set(settings, '{cost,perPart,NG,service}', '"0.004"')`);
      await fixture.database.execute(sql`
        UPDATE inbound_request SET state = 'received', next_attempt_at = ${dueNow}`);
      await readAll();
      expect(await costOf(known.delivery)).toBe(4_000n);
    });
  });

  it('reports that a message was read after its delivery, and moves no money', async () => {
    const { delivery, ...message } = await send();
    const before = await fixture.available(live.organisationId);
    await receive(webhook([{ ...message, status: 'delivered' }]));
    await readAll();
    expect(await fixture.states([delivery])).toEqual(['delivered']);
    await receive(webhook([{ ...message, status: 'read' }]));
    await readAll();
    await receive(webhook([{ ...message, status: 'delivered' }]));
    await readAll();
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'read', refunded: false });
    expect(await callbacks(delivery)).toEqual(['message.sent', 'message.delivered', 'message.read']);
    expect(await fixture.available(live.organisationId)).toBe(before);
  });

  it('loses no read receipt if several workers process it at once', async () => {
    const messages = [await send(), await send(), await send()];
    const workers = await Promise.all(Array.from({ length: 4 }, () => fixture.worker()));
    await Promise.all(
      messages.flatMap(({ id: providerReference }) =>
        workers.map((worker, index) =>
          worker.reports.receive('whatsapp', [
            { providerReference, state: index % 2 === 0 ? 'delivered' : 'read' },
          ]),
        ),
      ),
    );
    const ids = messages.map(({ delivery }) => delivery);
    expect(await fixture.states(ids)).toEqual(['read', 'read', 'read']);
  });

  it.each([
    ['after', ['delivered', 'failed']],
    ['after a read', ['read', 'failed']],
  ])('ignores a failure %s its delivery', async (_, statuses) => {
    const { delivery, ...message } = await send();
    for (const status of statuses) {
      const errors = status === 'failed' ? [{ code: 131_026, title: 'Message undeliverable' }] : undefined;
      await receive(webhook([{ ...message, status, ...(errors && { errors }) }]));
      await readAll();
    }
    expect(await fixture.stored(delivery)).toMatchObject({ state: statuses[0], code: null, refunded: false });
    expect(await callbacks(delivery)).toEqual(['message.sent', `message.${statuses[0]}`]);
  });

  it.each([
    [131_026, 'invalid_number', false],
    [131_049, 'marketing_limit', false],
    [131_047, 'window_closed', true],
    [131_042, 'provider_unavailable', true],
    [987_654, 'provider_error', false],
  ])('ends a message that failed with the error %i (%s)', async (code, reason, refunded) => {
    const { delivery, ...message } = await send();
    const errors = [{ code, title: 'An error', error_data: { details: 'Details' } }];
    await receive(webhook([{ ...message, status: 'failed', errors }]));
    await readAll();
    expect(await fixture.stored(delivery)).toMatchObject({ state: 'undelivered', code: reason, refunded });
  });

  it('finds a message by our reference if its answer was lost', async () => {
    behaviour = 'lost';
    const { delivery, biz_opaque_callback_data } = await send();
    expect(await fixture.states([delivery])).toEqual(['submitting']);
    await receive(webhook([{ id: 'wamid.unknown', biz_opaque_callback_data, status: 'read' }]));
    await readAll();
    expect(await fixture.states([delivery])).toEqual(['read']);
    await live.retry();
    expect(await fixture.states([delivery])).toEqual(['read']);
  });

  it('needs no phone number of the recipient', async () => {
    const { delivery, ...message } = await send();
    const { entry } = webhook([]) as { entry: object[] };
    const statuses = [{ ...message, status: 'delivered', recipient_user_id: 'NG.13491208655302741918' }];
    await receive({ object: 'whatsapp_business_account', entry: [...entry, valueOf({ statuses })] });
    await readAll();
    expect(await fixture.states([delivery])).toEqual(['delivered']);
    expect(await requests()).toEqual([handled]);
  });

  it('may have incoming messages beside statuses, or unknown content', async () => {
    const { delivery, ...message } = await send();
    const incoming = valueOf({
      contacts: [{ profile: { name: 'Ada' }, user_id: 'NG.13491208655302741918' }],
      messages: [
        { from_user_id: 'NG.13491208655302741918', id: 'wamid.in', type: 'text', text: { body: 'Hi' } },
      ],
    });
    const [reported] = (webhook([{ ...message, status: 'delivered' }]) as { entry: object[] }).entry;
    await receive({ object: 'whatsapp_business_account', entry: [incoming, reported] });
    await receive({ object: 'whatsapp_business_account', entry: [incoming, incoming] });
    const change = { field: 'account_update', value: { event: 'VERIFIED_ACCOUNT' } };
    await receive({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] });
    await readAll();
    const fault =
      'the whatsapp number +155*****881 belongs to no organisation that may receive from this provider: use `pnpm admin numbers assign`, then `pnpm admin inbound replay`';
    const unassigned = { state: 'unparsed', fault };
    expect(await requests()).toEqual([unassigned, unassigned, handled]);
    expect(await fixture.states([delivery])).toEqual(['delivered']);

    const { organisationId } = live;
    await fixture.database.inboundNumber.create({
      data: { channel: 'whatsapp', number: '+15550783881', organisationId },
    });
    await fixture.database.execute(sql`
      UPDATE inbound_request SET state = 'received', fault = NULL, next_attempt_at = ${dueNow}`);
    await readAll();
    expect(await requests()).toEqual([handled, handled, handled]);
    expect(await fixture.database.incomingMessage.findMany()).toMatchObject([
      { organisationId, sender: 'NG.13491208655302741918', text: 'Hi', providerReference: 'wamid.in' },
    ]);
  });

  describe('about a template', () => {
    const account = '102290129340398';
    const templateUpdate = (event: string, at: Date, change: object = {}): object => ({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: account,
          time: Math.floor(at.getTime() / 1_000),
          changes: [
            {
              field: 'message_template_status_update',
              value: {
                event,
                message_template_id: 594425479261596,
                message_template_name: 'order_on_its_way',
                message_template_language: 'en_US',
                reason: 'NONE',
                ...change,
              },
            },
          ],
        },
      ],
    });
    const addNumber = async (name: string, accountId: string, organisationId: string | null = null) => {
      const url = 'http://127.0.0.1:1';
      await storeWhatsApp(fixture.database, live.worker.sealer, name, { phoneNumberId, url, accountId });
      await fixture.database.provider.update({ where: { name }, data: { organisationId } });
    };
    const known = async () => {
      const rows = await fixture.database.providerTemplate.findMany({ orderBy: { provider: 'asc' } });
      return rows.map(({ provider, status, reason }) => [provider, status, reason]);
    };
    const entryOf = (webhookBody: object): object => (webhookBody as { entry: object[] }).entry[0] ?? {};
    const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
    beforeEach(async () => {
      await fixture.database.provider.update({
        where: { name: 'whatsapp' },
        data: {
          settings: {
            ...{ phoneNumberId, url: 'http://127.0.0.1:1', allowPrivate: true },
            accountId: Number(account),
          },
        },
      });
    });

    it('makes messages fail before they are charged as soon as the template is paused', async () => {
      const { id: templateId } = await fixture.database.template.create({
        data: {
          ...{ id: newId(), organisationId: live.organisationId, name: 'Order', channel: 'whatsapp' },
          ...{ body: 'On its way', providerName: 'order_on_its_way', language: 'en_US', variables: [] },
        },
      });
      await receive(templateUpdate('PAUSED', minutesAgo(1), { other_info: { title: 'FIRST_PAUSE' } }));
      await readAll();
      await live.refresh();
      await expect(send({ template_id: templateId, content: undefined })).rejects.toMatchObject({
        status: 400,
        fields: [{ field: 'template_id', message: expect.stringContaining('paused the template') }],
      });
      await receive(templateUpdate('REINSTATED', minutesAgo(0)));
      await readAll();
      expect(await known()).toEqual([['whatsapp', 'APPROVED', null]]);
      expect(await requests()).toEqual([handled, handled]);
    });

    it('applies to all numbers of the account with the same owner, and to no others', async () => {
      await addNumber('sibling', account);
      await addNumber('elsewhere', '7');
      await addNumber('of-others', account, live.organisationId);
      await receive(templateUpdate('REJECTED', minutesAgo(1), { reason: 'ABUSIVE_CONTENT' }));
      await readAll();
      const rejected = ['REJECTED', 'ABUSIVE_CONTENT'];
      expect(await known()).toEqual([
        ['sibling', ...rejected],
        ['whatsapp', ...rejected],
      ]);
    });

    it('counts in the order of its timestamps, which cannot be in the future', async () => {
      const events = [
        ...[templateUpdate('PAUSED', minutesAgo(5)), templateUpdate('DISABLED', minutesAgo(2))],
        ...[templateUpdate('APPROVED', minutesAgo(4)), templateUpdate('APPROVED', minutesAgo(9))],
      ] as { entry: object[] }[];
      await receive({ object: 'x', entry: events.slice(0, 3).flatMap(({ entry }) => entry) });
      await receive(events[3] ?? {});
      await readAll();
      expect(await known()).toEqual([['whatsapp', 'DISABLED', null]]);
      await receive(templateUpdate('FLAGGED', minutesAgo(-600)));
      await readAll();
      const [row] = await fixture.database.providerTemplate.findMany();
      expect(row?.status).toBe('FLAGGED');
      expect(row?.syncedAt.getTime()).toBeLessThanOrEqual(Date.now());
    });

    it('counts if it has the same second as a sync and arrives after it', async () => {
      const at = new Date(Math.floor(Date.now() / 1_000) * 1_000);
      const synced = {
        provider: 'whatsapp',
        name: 'order_on_its_way',
        language: 'en_US',
        status: 'APPROVED',
      };
      const syncedAt = new Date(Math.min(Date.now(), at.getTime() + 1));
      await fixture.database.providerTemplate.create({ data: { ...synced, syncedAt } });
      await receive(templateUpdate('PAUSED', at));
      await readAll();
      expect(await known()).toEqual([['whatsapp', 'PAUSED', null]]);
      const [row] = await fixture.database.providerTemplate.findMany();
      expect(row?.syncedAt.getTime()).toBeLessThanOrEqual(Date.now());
    });

    it('is stored without the characters that Postgres cannot store', async () => {
      const reason = `\u0000\ud800${'😀'.repeat(300)}`;
      await receive(
        templateUpdate('PAUSED\u0000', minutesAgo(1), { reason, message_template_name: 'a\u0000b' }),
      );
      const language = { message_template_language: 'en\u0000', message_template_name: 'c\udfff' };
      await receive(templateUpdate('PAUSED', minutesAgo(1), language));
      await receive({
        object: 'x',
        entry: [{ ...entryOf(templateUpdate('PAUSED', minutesAgo(1))), id: '\u0000' }],
      });
      await readAll();
      expect(await requests()).toEqual([handled, handled, handled]);
      const rows = await fixture.database.providerTemplate.findMany({ orderBy: { name: 'asc' } });
      expect(rows).toMatchObject([
        { name: 'ab', language: 'en_US', status: 'PAUSED', reason: `\ufffd${'😀'.repeat(254)}` },
        { name: 'c\ufffd', language: 'en', status: 'PAUSED', reason: null },
      ]);
    });

    it('is ignored if it cannot be stored', async () => {
      const odd = { message_template_name: 'x'.repeat(513) };
      await receive(templateUpdate('PAUSED', minutesAgo(1), odd));
      await receive(templateUpdate('PAUSED', minutesAgo(1), { message_template_language: null }));
      await readAll();
      expect(await known()).toEqual([]);
      expect(await requests()).toEqual([handled, handled]);
    });
  });

  describe('with thousands of messages', () => {
    const thousands = valueOf({
      messages: Array.from({ length: 2_001 }, (_, index) => ({
        ...{ from: '2348031234567', id: `wamid.in-${index}`, type: 'text', text: { body: 'Hi' } },
      })),
    });
    const webhookBody = { object: 'whatsapp_business_account', entry: [thousands] };
    /** Calls `before` when a part is stored, with its number from 1. */
    const watched = (before: (part: number) => Promise<void>): Promise<DeliveryWorker> => {
      let parts = 0;
      const { incoming } = live.worker;
      const service = Object.assign(Object.create(incoming) as IncomingService, {
        receive: async (...received: Parameters<IncomingService['receive']>) => {
          await before((parts += 1));
          return incoming.receive(...received);
        },
      });
      return fixture.worker({ values: [valueFor(IncomingService, service)] });
    };
    beforeEach(async () => {
      const { organisationId } = live;
      const key = { channel: 'whatsapp', number: '+15550783881' } as const;
      await fixture.database.inboundNumber.upsert({
        where: { channel_number: key },
        create: { ...key, organisationId },
        update: { organisationId },
      });
      await fixture.database.incomingMessage.deleteMany();
    });
    const expireLease = (): Promise<unknown> =>
      fixture.database.execute(sql`UPDATE inbound_request SET next_attempt_at = ${dueNow}`);

    it('is not claimed again while its parts are stored', async () => {
      await receive(webhookBody);
      const claimed: number[] = [];
      await readAll(
        await watched(async (part) => {
          if (part > 1) claimed.push((await live.worker.get(InboundRepository).claimDue()).length);
          await expireLease();
        }),
      );
      expect(claimed).toEqual([0, 0]);
      expect(await requests()).toEqual([handled]);
      expect(await fixture.database.incomingMessage.count()).toBe(2_001);
    });

    it('is left to the worker that has claimed it since', async () => {
      await receive(webhookBody);
      const parts: number[] = [];
      const worker = await watched(async (part) => {
        parts.push(part);
        await expireLease();
        await live.worker.get(InboundRepository).claimDue();
      });
      await expect(readAll(worker)).rejects.toThrow(LeaseLostError);
      expect(parts).toEqual([1]);
      expect(await requests()).toEqual([{ state: 'received', fault: null }]);
    });
  });

  it('may have thousands of statuses in 3 MB', async () => {
    const first = await send();
    const last = await send();
    const others = Array.from({ length: 9_000 }, (_, index) => ({
      id: wamidOf(1_000_000 + index, '+2348031234567'),
      biz_opaque_callback_data: newId(),
      status: 'delivered',
      conversation: { id: 'c'.repeat(60), origin: { type: 'utility' } },
      pricing: { billable: true, pricing_model: 'PMP', category: 'utility' },
    }));
    const body = webhook([{ id: first.id, status: 'delivered' }, ...others, { id: last.id, status: 'read' }]);
    expect(JSON.stringify(body).length).toBeGreaterThan(3_000_000);
    await receive(body);
    await readAll();
    expect(await fixture.states([first.delivery, last.delivery])).toEqual(['delivered', 'read']);
    expect(await requests()).toEqual([handled]);
  });
});
