import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { newOrganisation, ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Message {
  readonly id: string;
  readonly recipients: readonly string[];
  readonly deliveries: readonly { readonly status: string; readonly refunded: boolean }[];
  readonly meta: { readonly estimate: { readonly charge: number; readonly available_balance: number } };
}

export function sendsMessages(running: RunningSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Messages');
  const send = (body: object) =>
    system().request({ method: 'POST', path: '/sms/send', key: key(), body: { content: 'Hello', ...body } });
  const ended = (id: string): Promise<Message> =>
    until('all deliveries end', async () => {
      const message = (await system().request({ path: `/sms/${id}`, key: key() })).body as Message;
      const open = message.deliveries.some(({ status }) => ['queued', 'sent'].includes(status));
      return open ? undefined : message;
    });
  const available = async (): Promise<number> =>
    ((await system().request({ path: '/balance', key: key() })).body as { available_balance: number })
      .available_balance;

  it('sends, responds as specified, and delivers', async () => {
    const answer = await send({
      recipients: '0803 200 0001, +2348032000002,08032000001',
      external_ref: 'sms-1',
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        recipients: ['0803 200 0001', '+2348032000002'],
        sender_id: 'Gangan',
        is_trackable: false,
        content: 'Hello',
        external_ref: 'sms-1',
        meta: {
          method: 'POST',
          resource: '/sms/send',
          estimate: { charge: 8, encoding: 'GSM-7', message_length: 5, pages: 1 },
        },
      },
    });
    const { id } = answer.body as Message;
    expect((await ended(id)).deliveries).toMatchObject([
      { recipient: '0803 200 0001', status: 'delivered', attempts: [{ provider: 'simulator' }] },
      { recipient: '+2348032000002', status: 'delivered' },
    ]);
  });

  it('estimates what a send then charges, and charges nothing for it', async () => {
    const body = { recipients: '08032000003, 0803 200 0003, 08032000004', content: 'ọ'.repeat(71) };
    const before = await available();
    const estimated = await system().request({ method: 'POST', path: '/sms/estimate', key: key(), body });
    expect(estimated).toMatchObject({
      status: 200,
      body: {
        recipient_count: 2,
        affordable: true,
        rejected: [],
        meta: { resource: '/sms/estimate', estimate: { available_balance: before, charge: 16, pages: 2 } },
      },
    });
    const { id, meta } = (await send(body)).body as Message;
    expect(meta.estimate).toMatchObject({ charge: 16, available_balance: before - 16 });
    await ended(id);
    const prices = await system().request({ path: '/prices', key: key() });
    expect(prices).toMatchObject({ status: 200, body: { currency: 'NGN' } });
    expect((prices.body as { prices: object[] }).prices).toContainEqual({
      service: 'sms',
      prefix: '',
      price: 4,
    });
  });

  it('charges an organisation its own price, which the list of prices and the estimate name', async () => {
    const { id: organisationId, key: own } = await newOrganisation(database(), 'Own price', 10_000n);
    await database().execute(sql`
      INSERT INTO organisation_price (organisation_id, service, prefix, kobo)
      VALUES (${organisationId}::uuid, 'sms', '234803', 350)`);
    const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
      system().request({ method, path, key: own, ...(body && { body }) });
    const body = { recipients: '08032000003, 08052000004', content: 'Hello' };
    const { prices } = (await ask('GET', '/prices')).body as { prices: object[] };
    expect(prices).toContainEqual({ service: 'sms', prefix: '234803', price: 3.5 });
    for (const path of ['/sms/estimate', '/sms/send'])
      expect(await ask('POST', path, body)).toMatchObject({
        status: 200,
        body: { meta: { estimate: { charge: 7.5 } } },
      });
    expect((await ask('GET', '/balance')).body).toMatchObject({ available_balance: 92.5 });
  });

  it('shows its simulated messages to a test organisation, and refuses a live one', async () => {
    const live = await newOrganisation(database(), 'Live', 0n, { mode: 'live' });
    expect(await system().request({ path: '/simulator/messages', key: key() })).toMatchObject({
      status: 200,
    });
    expect(await system().request({ path: '/simulator/messages', key: live.key })).toMatchObject({
      status: 403,
      body: { errors: [{ field: 'authorization', type: 'test_only' }] },
    });
  });

  it('asks whether a misspelt field was meant, and sends nothing', async () => {
    for (const [path, field, meant, rest] of [
      ['/sms/send', 'sender', 'sender_id', { recipients: '08032000003', content: 'Hello' }],
      ['/otp/request_token', 'lenght', 'length', { recipient: '08032000003' }],
      ['/lists/contact/rows/query', 'filter', 'filters', {}],
    ] as const)
      expect(
        await system().request({ method: 'POST', path, key: key(), body: { ...rest, [field]: 'x' } }),
      ).toMatchObject({
        status: 400,
        body: { errors: [{ field, message: expect.stringContaining(`did you mean ${meant}?`) }] },
      });
  });

  it('finds a message by recipient, reference, channel and category', async () => {
    const sent = await send({ recipients: '08032000001, 08032000009', external_ref: 'found-1' });
    const { id } = sent.body as Message;
    const list = (query: string) => system().request({ path: `/sms?limit=1&${query}`, key: key() });
    for (const query of [
      'recipient=%2B2348032000009',
      'recipient=0803+200+0009',
      'external_ref=found-1',
      'external_ref=found-1&recipient=08032000009&channel=sms&category=transactional',
    ])
      expect(await list(query)).toMatchObject({ status: 200, body: { messages: [{ id, channel: 'sms' }] } });
    for (const query of ['recipient=08032000010', 'external_ref=found-1&category=promotional'])
      expect(await list(query)).toMatchObject({ status: 200, body: { messages: [] } });
    expect(await list('recipient=12&category=otp')).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'recipient', type: 'phone' },
          { field: 'category', type: 'enum' },
        ],
      },
    });
  });

  it('refunds an undelivered message', async () => {
    const sent = (await send({ recipients: '+2347000000002' })).body as Message;
    const before = sent.meta.estimate.available_balance;
    const reason = { code: 'invalid_number', message: 'This number cannot receive messages' };
    expect((await ended(sent.id)).deliveries).toMatchObject([
      { status: 'rejected', refunded: true, reason, error: reason, attempts: [{ reason, error: reason }] },
    ]);
    expect(await available()).toBe(before + sent.meta.estimate.charge);
    const resource = `/sms/${sent.id}`;
    for (const [kind, sign] of [
      ['charge', -1],
      ['refund', 1],
    ] as const)
      expect(await system().request({ path: `/ledger?kind=${kind}&limit=1`, key: key() })).toMatchObject({
        status: 200,
        body: { entries: [{ service: 'sms', resource, amount: sign * sent.meta.estimate.charge }] },
      });
    const list = await system().request({ path: '/sms?status=rejected&limit=1', key: key() });
    expect(list).toMatchObject({ status: 200, body: { messages: [{ id: sent.id }] } });
  });

  it('plays an incoming message, which opens the window of WhatsApp, and reports that a message was read', async () => {
    const [closed, reader] = ['+2347000000008', '+2347000000009'];
    const refused = await send({ recipients: closed, channel: 'whatsapp' });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ type: 'window_closed' }] } });
    const both = (await send({ recipients: `${closed},${reader}`, channel: 'whatsapp' })).body as Message;
    const statuses = async (): Promise<string[]> => {
      const { body } = await system().request({ path: `/sms/${both.id}`, key: key() });
      return (body as Message).deliveries.map(({ status }) => status);
    };
    await until('it is read', async () => (await statuses()).join() === 'rejected,read');
    const body = { from: closed, text: 'Hello', channel: 'whatsapp' };
    const played = await system().request({ method: 'POST', path: '/simulator/inbound', key: key(), body });
    expect(played).toMatchObject({
      status: 200,
      body: { sender: closed, text: 'Hello', channel: 'whatsapp' },
    });
    const { id } = played.body as Message;
    expect((await system().request({ path: `/inbox/${id}`, key: key() })).body).toEqual(played.body);
    const sent = (await send({ recipients: closed, channel: 'whatsapp' })).body as Message;
    expect((await ended(sent.id)).deliveries).toMatchObject([{ status: 'delivered' }]);
  });

  it('sends to a thousand recipients', async () => {
    const recipients = Array.from(
      { length: 1_000 },
      (_, place) => `+2348033${String(place).padStart(6, '0')}`,
    );
    const answer = await send({ recipients: recipients.join(', ') });
    expect(answer).toMatchObject({
      status: 200,
      body: { recipients, meta: { estimate: { charge: 4_000 } } },
    });
    const { deliveries } = await ended((answer.body as Message).id);
    expect(deliveries.filter(({ status }) => status === 'delivered')).toHaveLength(1_000);
  });

  it('names an invalid number by its index, and sends nothing', async () => {
    const before = await available();
    expect(await send({ recipients: '08032000001,,x' })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'recipients.1', type: 'missing' },
          { field: 'recipients.2', type: 'phone' },
        ],
      },
    });
    expect(await available()).toBe(before);
  });
}
