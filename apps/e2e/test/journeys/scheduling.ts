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

/** The price of one message, in kobo. */
const price = 400n;

/** A message of an organisation of its own. */
interface Scheduled {
  readonly key: string;
  readonly id: string;
  readonly at: Date;
}

export function schedulesMessages({ system, database }: RunningSystem): void {
  const ask = (key: string, method: NonNullable<TestRequest['method']>, path: string, body?: object) =>
    system().request({ method, path, key, ...(body && { body }) });
  const read = async (key: string, id: string): Promise<Message> =>
    (await ask(key, 'GET', `/sms/${id}`)).body as Message;
  const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
  const shown = (time: Date): string => time.toISOString().replace('Z', '000+00:00');
  const balance = async (key: string): Promise<number> =>
    ((await ask(key, 'GET', '/balance')).body as { available_balance: number }).available_balance;
  const ended = ({ key, id }: Pick<Scheduled, 'key' | 'id'>): Promise<Message> =>
    until('all deliveries end', async () => {
      const message = await read(key, id);
      const isOpen =
        message.expansion?.state === 'expanding' ||
        message.deliveries.some(({ status }) => ['queued', 'sent'].includes(status));
      return isOpen ? undefined : message;
    });
  const schedule = async (key: string, at: Date, body: object): Promise<Scheduled> => {
    const send_at = new Date(at.getTime() + 3_600_000).toISOString().replace('Z', '+01:00');
    const sent = await ask(key, 'POST', '/sms/send', { content: 'Hello', send_at, ...body });
    expect(sent).toMatchObject({ status: 200, body: { send_at: shown(at) } });
    return { key, id: (sent.body as Message).id, at };
  };
  /** Adds a contact to the smartlist of all contacts after a message to it was scheduled. */
  const scheduleToGrowingList = async (name: string, money: bigint): Promise<Scheduled> => {
    const { key } = await newOrganisation(database(), name, money);
    const { columns } = (await ask(key, 'GET', '/lists/contact')).body as {
      columns: { id: string; name: string }[];
    };
    const mobile = columns.find((column) => column.name === 'Mobile')?.id ?? '';
    const add = (number: string) =>
      ask(key, 'POST', '/lists/contact/rows', { columns: { [mobile]: number } });
    await add('08032000041');
    const [list] = (await ask(key, 'GET', '/lists/contact/smartlists')).body as { id: string }[];
    const scheduled = await schedule(key, inSeconds(4), { smartlist_id: list?.id });
    expect(await balance(key)).toBe(Number(money - price) / 100);
    await add('08032000042');
    return scheduled;
  };

  /** Scheduled together, so that the tests do not wait for the time of each. */
  let onTime: Scheduled;
  let affordable: Scheduled;
  let unaffordable: Scheduled;
  beforeAll(async () => {
    const { key } = await newOrganisation(database(), 'On time', price);
    [onTime, affordable, unaffordable] = await Promise.all([
      schedule(key, inSeconds(3), { recipients: '08031234567' }),
      scheduleToGrowingList('Rich', 2n * price),
      scheduleToGrowingList('Poor', price),
    ]);
    expect(await read(key, onTime.id)).toMatchObject({
      ...{ send_at: shown(onTime.at), deliveries: [{ status: 'queued' }] },
    });
  });

  it('rejects times without an offset, and those that are too early or too late', async () => {
    const { key } = await newOrganisation(database(), 'Wrong times', price);
    const send = (send_at: unknown) =>
      ask(key, 'POST', '/sms/send', { recipients: '08031234567', content: 'Hello', send_at });
    for (const send_at of ['2026-12-01T09:30:00', '2026-12-01', 'tomorrow', 17, '2020-01-01T00:00:00Z'])
      expect(await send(send_at)).toMatchObject({ status: 400, body: { errors: [{ field: 'send_at' }] } });
    expect(await send(inSeconds(91 * 86_400).toISOString())).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'send_at', message: expect.stringContaining('90 days') }] },
    });
  });

  it('sends at the given time', async () => {
    await until('it is delivered', async () => {
      const { deliveries } = await read(onTime.key, onTime.id);
      return deliveries[0]?.status === 'delivered';
    });
    expect(Date.now()).toBeGreaterThanOrEqual(onTime.at.getTime());
  });

  it('reads a smartlist at the given time, and charges what it has grown by', async () => {
    expect(await ended(affordable)).toMatchObject({
      deliveries: [{ status: 'delivered' }, { status: 'delivered' }],
      expansion: { state: 'done', recipients: 2, charge: 8, growth_charge: 4, returned: 0 },
    });
    expect(await balance(affordable.key)).toBe(0);
  });

  it('rejects recipients that were added to a smartlist and that the balance does not cover', async () => {
    const { deliveries, expansion } = await ended(unaffordable);
    expect(expansion).toMatchObject({ state: 'done', recipients: 1, unaffordable: 1, returned: 0 });
    expect(deliveries.map(({ status, error }) => [status, error?.code]).toSorted()).toEqual([
      ['delivered', undefined],
      ['rejected', 'unaffordable'],
    ]);
    expect(await balance(unaffordable.key)).toBe(0);
  });

  it('holds promotional messages in quiet hours', async () => {
    const quiet = await newOrganisation(database(), 'Quiet', 2n * price);
    const time = (hours: number): string =>
      inSeconds(hours * 3_600)
        .toISOString()
        .slice(11, 16);
    const settings = { sms: { quiet_hours: `${time(-1)}-${time(1)} UTC` } };
    await database().organisation.update({ where: { id: quiet.id }, data: { settings } });
    const send = async (category: string): Promise<string> => {
      const body = { recipients: '08031234567', content: 'Hello', category };
      return ((await ask(quiet.key, 'POST', '/sms/send', body)).body as Message).id;
    };
    const promotional = await send('promotional');
    const transactional = await send('transactional');
    expect(await ended({ key: quiet.key, id: transactional })).toMatchObject({
      deliveries: [{ status: 'delivered' }],
    });
    await until('it is held', async () => {
      const [delivery] = await database().delivery.findMany({ where: { messageId: promotional } });
      return delivery?.sendAt && delivery.sendAt > inSeconds(60);
    });
    expect(await read(quiet.key, promotional)).toMatchObject({ deliveries: [{ status: 'queued' }] });
  });
}
