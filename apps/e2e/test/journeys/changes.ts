import { checkLedger } from '@gangan/billing';
import { type TestRequest, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { newOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Message {
  readonly id: string;
  readonly status: string;
  readonly deliveries: readonly { readonly status: string; readonly refunded: boolean }[];
}

interface Callback {
  readonly type: string;
  readonly body: string;
}

const [price, start] = [4, 10_000];
const recipients = (count: number): string =>
  Array.from({ length: count }, (_, index) => `0803${6_000_000 + index}`).join(',');

export function changesMessages({ system, database }: RunningSystem): void {
  const open = async (name: string) => {
    const { key } = await newOrganisation(database(), name, BigInt(start) * 100n);
    const ask = (method: NonNullable<TestRequest['method']>, path: string, body?: object) =>
      system().request({ method, path, key, ...(body && { body }) });
    const send = async (body: object): Promise<Message> => {
      const answer = await ask('POST', '/sms/send', { content: 'Hello', ...body });
      expect(answer).toMatchObject({ status: 200 });
      return answer.body as Message;
    };
    const find = async (id: string): Promise<Message> => (await ask('GET', `/sms/${id}`)).body as Message;
    const change = (id: string, action: string) => ask('POST', `/sms/${id}/${action}`);
    const balance = async (): Promise<number> =>
      ((await ask('GET', '/balance')).body as { available_balance: number }).available_balance;
    /** The callbacks of a message to an address that does not exist. */
    const canceledCallbacks = async (id: string): Promise<object[]> => {
      const { callbacks } = (await ask('GET', `/callbacks?resource_id=${id}&type=message.canceled`)).body as {
        callbacks: Callback[];
      };
      return callbacks;
    };
    return { ask, send, find, change, balance, canceledCallbacks };
  };
  const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

  it('pauses, resumes and cancels a scheduled message', async () => {
    const { send, find, change, balance, canceledCallbacks } = await open('Changes one');
    const callback = 'https://gangan.invalid/';
    const sent = await send({ recipients: recipients(3), send_at: inAnHour(), callback });
    expect(sent.status).toBe('scheduled');
    const { id } = sent;
    for (const [action, status] of [
      ['resume', 'scheduled'],
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'scheduled'],
      ['cancel', 'canceled'],
      ['cancel', 'canceled'],
      ['resume', 'canceled'],
    ] as const)
      expect(await change(id, action)).toMatchObject({
        status: 200,
        body: { id, status, meta: { method: 'POST', resource: `/sms/${id}/${action}` } },
      });
    expect(await change(id, 'pause')).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('canceled'),
        errors: [{ field: 'id', type: 'already_canceled' }],
      },
    });
    const { deliveries } = await until('all recipients are canceled', async () => {
      const message = await find(id);
      return message.deliveries.every(({ status }) => status === 'canceled') && message;
    });
    expect(deliveries).toMatchObject(Array(3).fill({ refunded: true }));
    expect(await find(id)).toMatchObject({ meta: { estimate: { charge: 12 }, refunded: 12 } });
    await until('it is reported', async () => (await canceledCallbacks(id)).length === 1);
    expect(await balance()).toBe(start);
    expect(await change('019a86f0-5a90-7b11-8a53-0c6f2d9be771', 'cancel')).toMatchObject({ status: 404 });
  });

  it('sends what was paused after it is resumed, and refuses to cancel what is completed', async () => {
    const { send, find, change, balance } = await open('Changes two');
    // Compared with the DND list, so that it is not submitted with its acceptance.
    const { id } = await send({ recipients: recipients(500), category: 'promotional' });
    expect(await change(id, 'pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
    const isWaiting = ({ status }: { readonly status: string }): boolean => status === 'queued';
    const { waiting } = await until('what was claimed is sent', async () => {
      const [before, after] = [await find(id), await find(id)];
      const [one, other] = [before, after].map(({ deliveries }) => deliveries.filter(isWaiting).length);
      return one === other && { waiting: one };
    });
    expect(await find(id)).toMatchObject({ status: 'paused' });
    expect(waiting).toBeGreaterThan(0);
    expect(await change(id, 'resume')).toMatchObject({ status: 200, body: { status: 'processing' } });
    await until('it is completed', async () => (await find(id)).status === 'completed');
    for (const action of ['pause', 'cancel'])
      expect(await change(id, action)).toMatchObject({
        status: 409,
        body: {
          message: `The message is completed: all recipients were sent to or have ended, so there is nothing to ${action}.`,
          errors: [{ field: 'id', type: 'already_completed' }],
        },
      });
    expect(await balance()).toBe(start - 500 * price);
  });

  it('refunds exactly what was not submitted when it is canceled in the middle', async () => {
    const { send, find, change, balance, canceledCallbacks } = await open('Changes three');
    const callback = 'https://gangan.invalid/';
    const { id } = await send({ recipients: recipients(1_000), category: 'promotional', callback });
    expect(await change(id, 'cancel')).toMatchObject({ status: 200, body: { status: 'canceled' } });
    await until('it is reported', async () => (await canceledCallbacks(id)).length === 1);
    const { deliveries } = await find(id);
    const canceled = deliveries.filter(({ status }) => status === 'canceled');
    expect(canceled).toMatchObject(Array(canceled.length).fill({ refunded: true }));
    expect(canceled.length).toBeGreaterThan(0);
    expect(await find(id)).toMatchObject({ meta: { refunded: canceled.length * price } });
    expect(await balance()).toBe(start - (1_000 - canceled.length) * price);
    expect(await checkLedger(database())).toMatchObject({ clean: true, findings: [] });
  });

  it('cancels a scheduled message to a smartlist, and refunds all of it', async () => {
    const { ask, send, find, change, balance, canceledCallbacks } = await open('Changes four');
    const { columns } = (await ask('GET', '/lists/contact')).body as {
      columns: { id: string; name: string }[];
    };
    const mobile = columns.find(({ name }) => name === 'Mobile')?.id ?? '';
    for (const number of ['08036000001', '08036000002'])
      expect(await ask('POST', '/lists/contact/rows', { columns: { [mobile]: number } })).toMatchObject({
        status: 200,
      });
    const smartlist = await ask('POST', '/lists/contact/smartlists', { name: 'All', filters: [] });
    const { id: smartlist_id } = smartlist.body as { id: string };
    const callback = 'https://gangan.invalid/';
    const { id } = await send({ smartlist_id, send_at: inAnHour(), callback });
    expect(await balance()).toBe(start - 2 * price);
    expect(await change(id, 'cancel')).toMatchObject({ status: 200, body: { status: 'canceled' } });
    await until('it is reported', async () => (await canceledCallbacks(id)).length === 1);
    expect(await balance()).toBe(start);
    expect(await find(id)).toMatchObject({
      status: 'canceled',
      deliveries: [],
      meta: { refunded: 2 * price },
    });
  });
}
