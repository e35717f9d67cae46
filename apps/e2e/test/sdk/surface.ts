import { ConnectionError, type Gangan, unwrapCallback } from '@gangan/sdk';
import { CallbackConsumer, until } from '@gangan/testing';
import { expect } from '@jest/globals';

/** Calls every method of the SDK; the parts of it run at once. */
export async function callEveryMethod(gangan: Gangan): Promise<void> {
  const parts = [messages, otp, airtime, lookup, rows, files, smartlists];
  parts.push(templates, inbox, optOuts, callbacks, billing);
  const results = await Promise.allSettled(parts.map((part) => part(gangan)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  expect(failures).toEqual([]);
}

export const numbers = {
  message: '08031110001',
  scheduled: '08031110002',
  otp: '08031110003',
  airtime: '08031110005',
  inbound: '08031110006',
};

/** The API takes no key for it, so the SDK does not repeat it, and the caller decides. */
async function again<T>(call: () => Promise<T>): Promise<T> {
  await expect(call()).rejects.toThrow(ConnectionError);
  return call();
}

const ended = <T extends { readonly state: string }>(read: () => Promise<T>): Promise<T> =>
  until('the job ends', async () => {
    const job = await read();
    return job.state === 'done' ? job : undefined;
  });

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** Waits until the simulated carrier was given this number of messages to a recipient. */
const arrived = (simulator: Gangan['simulator'], recipient: string, count: number): Promise<true> =>
  until(
    'the messages arrive',
    async () => (await collect(simulator.messages({ recipient }))).length === count || undefined,
  );

async function messages({ messages: api, simulator }: Gangan): Promise<void> {
  const body = { recipients: numbers.message, content: 'Your order has left.', external_ref: 'sdk-1' };
  expect(await api.estimate(body)).toMatchObject({ affordable: true });
  const { id } = await api.send(body);
  expect(await collect(api.list({ external_ref: 'sdk-1', limit: 1 }))).toMatchObject([{ id }]);
  expect(await api.find(id)).toMatchObject({ id, status: expect.any(String) });
  expect(await collect(api.deliveries(id))).toHaveLength(1);
  await arrived(simulator, numbers.message, 1);
  const scheduled = await api.send({
    recipients: numbers.scheduled,
    content: 'We open at nine.',
    send_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  expect(await api.pause(scheduled.id)).toMatchObject({ status: 'paused' });
  expect(await api.resume(scheduled.id)).toMatchObject({ status: 'scheduled' });
  expect(await api.cancel(scheduled.id)).toMatchObject({ status: 'canceled' });
}

async function otp({ otp: api, simulator }: Gangan): Promise<void> {
  const messagesSent = (count: number) => arrived(simulator, numbers.otp, count);
  const first = await api.request({ recipient: numbers.otp, token: '735196' });
  await messagesSent(1);
  await api.resend(first.id);
  await messagesSent(2);
  expect(await api.verify({ id: first.id, token: '735196' })).toMatchObject({ status_desc: 'VERIFIED' });
  const second = await api.request({ recipient: numbers.otp });
  await messagesSent(3);
  expect(await again(() => api.revoke(second.id))).toMatchObject({ status_desc: 'REVOKED' });
  expect(await api.find(first.id)).toMatchObject({ sends: [{}, {}] });
  expect(await api.list({ recipient: numbers.otp })).toHaveLength(2);
}

async function airtime({ airtime: api }: Gangan): Promise<void> {
  expect((await api.networks()).map(({ name }) => name)).toContain('MTN');
  expect(await collect(api.products({ network: 'MTN', limit: 1 }))).toHaveLength(2);
  const { id } = await api.buy({ network: 'MTN', amount: 250, recipient: numbers.airtime });
  await until('the purchase ends', async () => (await api.find(id)).status === 'success');
  expect(await collect(api.list())).toMatchObject([{ id }]);
}

async function lookup({ lookup: api }: Gangan): Promise<void> {
  expect(await again(() => api.phone('08031110007'))).toMatchObject({ operator: 'MTN' });
  expect(await api.phone('08031110008', { retryLostAnswers: true })).toMatchObject({ operator: 'MTN' });
  const { id } = await api.batches.create({ phones: '08031110009' });
  await ended(() => api.batches.find(id));
  expect(await (await api.batches.file(id)).text()).toContain('08031110009,2348031110009,MTN');
  expect(await collect(api.batches.list())).toMatchObject([{ id }]);
}

async function rows({ contacts }: Gangan): Promise<void> {
  const { column } = await contacts.columns.add({ name: 'Town', type: 'TEXT' });
  await contacts.columns.change(column.id, { name: 'City' });
  expect((await contacts.table()).columns.map(({ name }) => name)).toContain('City');
  const byName = { by: 'name' } as const;
  const { row } = await contacts.rows.create({ columns: { Name: 'Ada', City: 'Lagos' } }, byName);
  await contacts.rows.change(row.id, { columns: { City: 'Abuja' } }, byName);
  expect(await contacts.rows.find(row.id, byName)).toMatchObject({ row: { columns: { City: 'Abuja' } } });
  const filters = [{ name: 'Name', operator: 'equal' as const, value: 'Ada' }];
  expect(await collect(contacts.rows.query({ filters }, { per_page: 1 }))).toHaveLength(1);
  await expect(contacts.rows.remove(row.id)).rejects.toThrow(ConnectionError);
  await expect(contacts.rows.remove(row.id)).rejects.toMatchObject({ status: 404 });
  await expect(contacts.columns.remove(column.id)).rejects.toThrow(ConnectionError);
  expect((await contacts.table()).columns.map(({ name }) => name)).not.toContain('City');
}

async function files({ contacts: { imports, exports } }: Gangan): Promise<void> {
  const { id } = await imports.create('Name,Email\nBola,bola@example.com\nnobody\n');
  expect(await ended(() => imports.find(id))).toMatchObject({ created: 1, rejected: 1 });
  expect(await (await imports.rejected(id)).text()).toContain('nobody');
  expect(await collect(imports.list())).toMatchObject([{ id }]);
  const made = await exports.create({ filters: [{ name: 'Name', operator: 'equal', value: 'Bola' }] });
  await ended(() => exports.find(made.id));
  expect(await (await exports.file(made.id)).text()).toContain('bola@example.com');
  expect(await collect(exports.list())).toMatchObject([{ id: made.id }]);
  await expect(exports.remove(made.id)).rejects.toThrow(ConnectionError);
  expect(await collect(exports.list())).toEqual([]);
}

async function smartlists({ contacts: { smartlists: api } }: Gangan): Promise<void> {
  const filters = [{ name: 'Email', operator: 'is_not_empty' as const }];
  const { id } = await api.create({ name: 'With email', filters });
  await api.change(id, { name: 'With an email' });
  expect(await api.find(id)).toMatchObject({ name: 'With an email' });
  expect((await api.list()).filter(({ name }) => name.startsWith('With'))).toHaveLength(1);
  await expect(api.remove(id)).rejects.toThrow(ConnectionError);
  await expect(api.remove(id)).rejects.toMatchObject({ status: 404 });
}

async function templates({ templates: api }: Gangan): Promise<void> {
  const { id } = await api.create({ name: 'Order', body: 'Dear {{name}}' });
  await api.change(id, { body: 'Dear {{name}}, your order has left.' });
  expect(await api.find(id)).toMatchObject({ placeholders: ['name'] });
  expect(await collect(api.list())).toMatchObject([{ id }]);
  await expect(api.remove(id)).rejects.toThrow(ConnectionError);
  expect(await collect(api.list())).toEqual([]);
}

async function inbox({ inbox: api, simulator }: Gangan): Promise<void> {
  const { id } = await simulator.playInbound({ from: numbers.inbound, text: 'Hello' });
  expect(await api.find(id)).toMatchObject({ text: 'Hello' });
  expect(await collect(api.list())).toMatchObject([{ id }]);
}

async function optOuts({ optOuts: api }: Gangan): Promise<void> {
  const { id } = await api.add({ phone: numbers.inbound });
  expect(await collect(api.list())).toMatchObject([{ id }]);
  await expect(api.remove(id)).rejects.toThrow(ConnectionError);
  expect(await collect(api.list())).toEqual([]);
}

async function callbacks({ callbacks: api }: Gangan): Promise<void> {
  const consumer = await CallbackConsumer.start((_, response) => response.end());
  try {
    const url = `http://127.0.0.1:${consumer.port}/`;
    const { id, secret } = await api.endpoints.create({ url, events: ['otp.failed'] });
    await api.endpoints.change(id, { description: 'Of the SDK' });
    expect(await api.endpoints.find(id)).toMatchObject({ description: 'Of the SDK' });
    expect((await api.endpoints.list()).endpoints).toHaveLength(1);
    const startedAt = new Date(Date.now() - 60_000).toISOString();
    const callback = await api.endpoints.test(id);
    const arrived = (count: number): Promise<true> =>
      until('the callback arrives', () => consumer.seen.length >= count || undefined);
    await arrived(1);
    const [seen] = consumer.seen;
    const unwrapped = await unwrapCallback(seen?.body ?? '', seen?.headers ?? {}, secret);
    expect(unwrapped).toMatchObject({ id: callback.id, type: 'endpoint.test', data: { endpoint_id: id } });
    await until('it is delivered', async () => (await api.find(callback.id)).status === 'delivered');
    await api.resend(callback.id);
    await arrived(2);
    expect(await api.endpoints.rotateSecret(id)).not.toMatchObject({ secret });
    expect(await api.endpoints.recover(id, { from: startedAt })).toHaveProperty('recovered');
    await arrived(3);
    expect(await collect(api.list({ endpoint_id: id }))).toHaveLength(1);
    await expect(api.endpoints.remove(id)).rejects.toThrow(ConnectionError);
    await expect(api.endpoints.remove(id)).rejects.toMatchObject({ status: 404 });
    expect(consumer.seen).toHaveLength(3);
  } finally {
    await consumer.stop();
  }
}

async function billing({ balance, ledger, prices }: Gangan): Promise<void> {
  await balance.changeThreshold({ threshold: 1 });
  expect(await balance.threshold()).toMatchObject({ threshold: 1 });
  expect(await balance.find()).toHaveProperty('available_balance');
  expect(await ledger.list({ limit: 1 })).toHaveProperty('entries');
  expect((await prices.list()).prices).toContainEqual({ service: 'lookup', prefix: '', price: 1.5 });
}
