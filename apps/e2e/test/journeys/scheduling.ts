import { type TestRequest, until } from '@gangan/testing';
import { beforeAll, expect, it } from '@jest/globals';
import { newOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Message {
  readonly id: string;
  readonly send_at?: string;
  readonly expansion?: { readonly state: string };
  readonly deliveries: readonly { readonly status: string; readonly error?: { readonly code: string } }[];
}

/** Enough for two messages to one number, at NGN 4. */
const money = 800n;

export function schedulesMessages({ system, database }: RunningSystem): void {
  let key: string;
  beforeAll(async () => {
    ({ key } = await newOrganisation(database(), 'Scheduling', money));
  });
  const ask = (method: NonNullable<TestRequest['method']>, path: string, body?: object, by = key) =>
    system().request({ method, path, key: by, ...(body && { body }) });
  const read = async (id: string, by = key): Promise<Message> =>
    (await ask('GET', `/sms/${id}`, undefined, by)).body as Message;
  const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
  const shown = (time: Date): string => time.toISOString().replace('Z', '000+00:00');
  const balance = async (): Promise<number> =>
    ((await ask('GET', '/balance')).body as { available_balance: number }).available_balance;
  const ended = (id: string): Promise<Message> =>
    until('all deliveries end', async () => {
      const message = await read(id);
      const isOpen =
        message.expansion?.state === 'expanding' ||
        message.deliveries.some(({ status }) => ['queued', 'sent'].includes(status));
      return isOpen ? undefined : message;
    });

  it('rejects times without an offset, and those that are too early or too late', async () => {
    const send = (send_at: unknown) =>
      ask('POST', '/sms/send', { recipients: '08031234567', content: 'Hello', send_at });
    for (const send_at of ['2026-12-01T09:30:00', '2026-12-01', 'tomorrow', 17, '2020-01-01T00:00:00Z'])
      expect(await send(send_at)).toMatchObject({ status: 400, body: { errors: [{ field: 'send_at' }] } });
    expect(await send(inSeconds(91 * 86_400).toISOString())).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'send_at', message: expect.stringContaining('90 days') }] },
    });
  });

  it('sends at the given time', async () => {
    const { key: by } = await newOrganisation(database(), 'On time', 400n);
    const at = inSeconds(3);
    const send_at = new Date(at.getTime() + 3_600_000).toISOString().replace('Z', '+01:00');
    const body = { recipients: '08031234567', content: 'Hello', send_at };
    const sent = await ask('POST', '/sms/send', body, by);
    expect(sent).toMatchObject({ status: 200, body: { send_at: shown(at) } });
    const { id } = sent.body as Message;
    expect(await read(id, by)).toMatchObject({ send_at: shown(at), deliveries: [{ status: 'queued' }] });
    const delivered = await until('it is delivered', async () => {
      const { deliveries } = await read(id, by);
      return deliveries[0]?.status === 'delivered';
    });
    expect(delivered).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
  });

  it('reads a smartlist at the given time, and charges what it has grown by', async () => {
    const { columns } = (await ask('GET', '/lists/contact')).body as {
      columns: { id: string; name: string }[];
    };
    const mobile = columns.find(({ name }) => name === 'Mobile')?.id ?? '';
    const add = (number: string) => ask('POST', '/lists/contact/rows', { columns: { [mobile]: number } });
    await add('08032000041');
    const [list] = (await ask('GET', '/lists/contact/smartlists')).body as { id: string }[];
    const send = async (): Promise<string> => {
      const body = { smartlist_id: list?.id, content: 'Hello', send_at: inSeconds(4).toISOString() };
      const { status, body: message } = await ask('POST', '/sms/send', body);
      expect(status).toBe(200);
      return (message as Message).id;
    };
    const first = await send();
    expect(await balance()).toBe(4);
    await add('08032000042');
    expect(await ended(first)).toMatchObject({
      deliveries: [{ status: 'delivered' }, { status: 'delivered' }],
      expansion: { state: 'done', recipients: 2, charge: 8, growth_charge: 4, returned: 0 },
    });
    expect(await balance()).toBe(0);
  });

  it('rejects recipients that were added to a smartlist and that the balance does not cover', async () => {
    ({ key } = await newOrganisation(database(), 'Poor', 400n));
    const { columns } = (await ask('GET', '/lists/contact')).body as {
      columns: { id: string; name: string }[];
    };
    const mobile = columns.find(({ name }) => name === 'Mobile')?.id ?? '';
    await ask('POST', '/lists/contact/rows', { columns: { [mobile]: '08032000051' } });
    const [list] = (await ask('GET', '/lists/contact/smartlists')).body as { id: string }[];
    const body = { smartlist_id: list?.id, content: 'Hello', send_at: inSeconds(4).toISOString() };
    const { id } = (await ask('POST', '/sms/send', body)).body as Message;
    await ask('POST', '/lists/contact/rows', { columns: { [mobile]: '08032000052' } });
    const { deliveries, expansion } = await ended(id);
    expect(expansion).toMatchObject({ state: 'done', recipients: 1, unaffordable: 1, returned: 0 });
    expect(deliveries.map(({ status, error }) => [status, error?.code]).toSorted()).toEqual([
      ['delivered', undefined],
      ['rejected', 'unaffordable'],
    ]);
    expect(await balance()).toBe(0);
  });

  it('holds promotional messages in quiet hours', async () => {
    const quiet = await newOrganisation(database(), 'Quiet', money);
    ({ key } = quiet);
    const time = (hours: number): string =>
      inSeconds(hours * 3_600)
        .toISOString()
        .slice(11, 16);
    const settings = { sms: { quiet_hours: `${time(-1)}-${time(1)} UTC` } };
    await database().organisation.update({ where: { id: quiet.id }, data: { settings } });
    const send = async (category: string): Promise<string> => {
      const body = { recipients: '08031234567', content: 'Hello', category };
      return ((await ask('POST', '/sms/send', body)).body as Message).id;
    };
    const promotional = await send('promotional');
    const transactional = await send('transactional');
    expect(await ended(transactional)).toMatchObject({ deliveries: [{ status: 'delivered' }] });
    await until('it is held', async () => {
      const [delivery] = await database().delivery.findMany({ where: { messageId: promotional } });
      return delivery?.sendAt && delivery.sendAt > inSeconds(60);
    });
    expect(await read(promotional)).toMatchObject({ deliveries: [{ status: 'queued' }] });
  });
}
