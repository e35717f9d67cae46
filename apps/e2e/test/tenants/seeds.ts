import { type Database, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { type TestRequest, type TestResponse, uniqueName, until } from '@gangan/testing';
import type { KnownIds } from '../interface/example.js';

export type Ask = (question: TestRequest) => Promise<TestResponse>;

/** Creates a record of the kind that a path refers to, and returns its id. */
export type Seed = (ask: Ask, database: Database) => Promise<string>;

/** By documented path. The tenant matrix fails for a route with an id that is missing here. */
const seeds: Readonly<Record<string, Seed>> = {
  '/airtime/{id}': (ask) => made(ask, '/airtime/buy', airtime),
  '/sms/{id}': (ask) => made(ask, '/sms/send', { recipients: '08031234567', content: 'Hello' }),
  '/sms/{id}/pause': (ask) => made(ask, '/sms/send', { recipients: '08031234567', content: 'Hello' }),
  '/sms/{id}/resume': (ask) => made(ask, '/sms/send', { recipients: '08031234567', content: 'Hello' }),
  '/sms/{id}/cancel': (ask) => made(ask, '/sms/send', { recipients: '08031234567', content: 'Hello' }),
  '/otp/{id}': (ask) => made(ask, '/otp/request_token', { recipient: '08031234567' }),
  '/otp/{id}/resend': (ask) => made(ask, '/otp/request_token', { recipient: '08031234567' }),
  '/otp/verify': (ask) => made(ask, '/otp/request_token', { recipient: '08031234567', token: exampleToken }),
  '/templates/{id}': (ask) => made(ask, '/templates', { name: uniqueName(), body: 'Dear {{name}}' }),
  '/optouts/{id}': (ask) => made(ask, '/optouts', { phone: '08031234567' }),
  '/inbox/{id}': (ask, database) => received(ask, database),
  '/lists/contact/columns/{column_id}': (ask) => column(ask),
  '/lists/contact/row/{row_id}': (ask) => contact(ask),
  '/lists/contact/rows/{row_id}': (ask) => contact(ask),
  '/lists/contact/smartlists/{smartlist_id}': (ask) => smartlist(ask),
  '/lists/contact/imports/{id}': (ask) => imported(ask),
  '/lists/contact/imports/{id}/rejected': (ask) => importEnded(ask),
  '/lists/contact/exports/{id}': (ask) => made(ask, '/lists/contact/exports', {}),
  '/lists/contact/exports/{id}/file': (ask) => ended(ask, '/lists/contact/exports', {}),
  '/lookup/batch/{id}': (ask) => made(ask, '/lookup/batch', batch),
  '/lookup/batch/{id}/file': (ask) => ended(ask, '/lookup/batch', batch),
  '/callbacks/{id}': (ask) => reported(ask),
  '/callbacks/{id}/resend': (ask) => reported(ask),
  '/callback-endpoints/{id}': (ask) => endpoint(ask),
  '/callback-endpoints/{id}/rotate-secret': (ask) => endpoint(ask),
  '/callback-endpoints/{id}/test': (ask) => testedEndpoint(ask),
  '/callback-endpoints/{id}/recover': (ask) => endpoint(ask),
};

/** The token in the example of a verification. */
const exampleToken = '73519604';
const batch = { phones: '08031234567' };
const airtime = { network: 'MTN', amount: 100, recipient: '08031234567' };

export function seedOf(path: string): Seed {
  const seed = seeds[path];
  if (seed) return seed;
  throw new Error(
    `${path} takes an id: add a row to seeds in test/tenants/seeds.ts that creates such a record over HTTP and returns its id`,
  );
}

export async function made(ask: Ask, path: string, body: object): Promise<string> {
  const answer = await ask({ method: 'POST', path, body });
  if (answer.status !== 200) throw new Error(`POST ${path} returned ${JSON.stringify(answer.body)}`);
  return (answer.body as { readonly id: string }).id;
}

/** A message to a number of the organisation, which only a provider can bring. */
export async function received(ask: Ask, database: Database): Promise<string> {
  const [id, template] = [newId(), await made(ask, '/templates', { name: uniqueName(), body: 'Dear' })];
  await database.execute(sql`
    INSERT INTO incoming_message (id, organisation_id, channel, number, sender, type, text, provider, provider_reference)
    SELECT ${id}::uuid, organisation_id, 'sms', '22345', '+2348031234567', 'text', 'Hello', 'carrier', ${id}
    FROM template WHERE id = ${template}::uuid`);
  await ask({ method: 'DELETE', path: `/templates/${template}` });
  return id;
}

async function imported(ask: Ask): Promise<string> {
  const file = { headers: { 'content-type': 'text/csv' }, text: 'Name\nAda\n' };
  const answer = await ask({ method: 'POST', path: '/lists/contact/imports', ...file });
  if (answer.status !== 200) throw new Error(`The import failed: ${JSON.stringify(answer.body)}`);
  return (answer.body as { readonly id: string }).id;
}

async function importEnded(ask: Ask): Promise<string> {
  const id = await imported(ask);
  await untilDone(ask, `/lists/contact/imports/${id}`);
  return id;
}

/** A job that is done. */
async function ended(ask: Ask, path: string, request: object): Promise<string> {
  const id = await made(ask, path, request);
  await untilDone(ask, `${path}/${id}`);
  return id;
}

const untilDone = (ask: Ask, path: string): Promise<true> =>
  until('the job is done', async () => {
    const { body } = await ask({ path });
    return (body as { readonly state: string }).state === 'done';
  });

interface Table {
  readonly columns: readonly { readonly id: string; readonly name: string }[];
}

export const smartlist = (ask: Ask): Promise<string> =>
  made(ask, '/lists/contact/smartlists', {
    name: uniqueName(),
    filters: [{ name: 'Name', operator: 'contain', value: 'ada' }],
  });

/** Creates what the examples refer to: a smartlist with a contact, a received message, and finds a product. */
export async function examplesIds(ask: Ask, database: Database): Promise<KnownIds> {
  await contact(ask);
  return {
    smartlist_id: await smartlist(ask),
    product_id: await product(ask),
    reply_to: await received(ask, database),
  };
}

/** A data bundle of the simulator for MTN. */
export const product = (ask: Ask): Promise<string> =>
  until('the products are read', async () => {
    const { body } = await ask({ path: '/airtime/products?network=MTN' });
    return (body as { readonly products: readonly { readonly id: string }[] }).products[0]?.id;
  });

export async function column(ask: Ask, kind: object = { type: 'TEXT' }): Promise<string> {
  const body = { name: uniqueName(), ...kind };
  const { columns } = (await ask({ method: 'POST', path: '/lists/contact/columns', body })).body as Table;
  return columns.find(({ name }) => name === body.name)?.id ?? '';
}

/** The ids of two default columns. */
export async function columnIds(ask: Ask): Promise<{ readonly name: string; readonly phone: string }> {
  const { columns } = (await ask({ path: '/lists/contact' })).body as Table;
  const idOf = (wanted: string): string => columns.find(({ name }) => name === wanted)?.id ?? '';
  return { name: idOf('Name'), phone: idOf('Mobile') };
}

/** A contact that the example of a query finds. */
async function contact(ask: Ask): Promise<string> {
  const { name, phone } = await columnIds(ask);
  const body = { columns: { [name]: 'Ada', [phone]: '08031234567' } };
  const added = await ask({ method: 'POST', path: '/lists/contact/rows', body });
  return (added.body as { readonly row: { readonly id: string } }).row.id;
}

const endpoint = (ask: Ask): Promise<string> =>
  made(ask, '/callback-endpoints', { url: 'https://gangan.invalid/', events: ['message.expired'] });

/** An endpoint with a callback. */
async function testedEndpoint(ask: Ask): Promise<string> {
  const id = await endpoint(ask);
  await made(ask, `/callback-endpoints/${id}/test`, {});
  return id;
}

/** The callback of a purchase, to a host that does not exist. */
async function reported(ask: Ask): Promise<string> {
  const purchase = await made(ask, '/airtime/buy', { ...airtime, callback: 'https://gangan.invalid/' });
  return until('the callback of the purchase exists', async () => {
    const { body } = await ask({ path: `/callbacks?resource_id=${purchase}` });
    return (body as { readonly callbacks: { readonly id: string }[] }).callbacks[0]?.id;
  });
}
