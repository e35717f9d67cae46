import { createHash } from 'node:crypto';
import { newId } from '@gangan/protocol';
import { uniqueBytes } from './unique.js';

/**
 * The part of `Database` that factories use. Not imported: the tests of libs/database and libs/billing use this
 * package, so it cannot depend on them.
 */
export interface FactoryDatabase {
  execute(statement: { readonly text: string; readonly values: unknown[] }): Promise<number>;
}

/** Columns of the row in camelCase; each replaces a default. */
export type Columns = Readonly<Record<string, unknown>>;

export interface OrganisationOptions {
  readonly mode?: 'live' | 'test';
  /** Booked as a top-up. */
  readonly balanceKobo?: bigint;
  readonly accountStatus?: 'active' | 'suspended' | undefined;
  /** Registers these senders and allows no others. */
  readonly senders?: readonly string[];
  /** Whether a live organisation pays `livePrices`; by default it does. */
  readonly hasPrices?: boolean;
  /** Other columns of `organisation`: `status`, `settings`, limits … */
  readonly [column: string]: unknown;
}

/** What live organisations of tests pay for every number, in kobo. The price list has no price for them. */
export const livePrices = { sms: 400n, whatsapp: 500n };

/** An organisation of an account of its own, with ledger accounts and without a callback secret. */
export async function anOrganisation(
  database: FactoryDatabase,
  {
    mode = 'test',
    balanceKobo = 0n,
    accountStatus,
    senders,
    hasPrices = mode === 'live',
    ...columns
  }: OrganisationOptions = {},
): Promise<{ id: string; accountId: string }> {
  const [id, accountId] = [newId(), newId()];
  await insert(database, 'account', { id: accountId, name: 'Test', status: accountStatus });
  await insert(database, 'organisation', {
    id,
    accountId,
    mode,
    defaultSender: 'Test',
    registeredSendersOnly: senders !== undefined,
    ...columns,
  });
  for (const name of senders ?? []) await insert(database, 'sender', { organisationId: id, name });
  for (const [service, kobo] of hasPrices ? Object.entries(livePrices) : [])
    await insert(database, 'organisation_price', { organisationId: id, service, prefix: '', kobo });
  await openAccounts(database, id, balanceKobo);
  return { id, accountId };
}

async function openAccounts(database: FactoryDatabase, organisationId: string, kobo: bigint): Promise<void> {
  const account = async (kind: string, balance?: bigint): Promise<void> => {
    await insert(database, 'ledger_account', { organisationId, kind, balance });
  };
  await account('wallet', 0n);
  await account('funding');
  await account('reserved', 0n);
  await account('revenue');
  await account('loss');
  if (kobo !== 0n) await aPayment(database, organisationId, kobo);
}

/**
 * Books a payment as `pnpm admin top-up` does, with its entry in the audit log, but without an approval; a negative
 * amount as `pnpm admin adjust` does. @returns the id of its subject
 */
export async function aPayment(
  database: FactoryDatabase,
  organisationId: string,
  kobo: bigint,
  { subjectId = newId(), note }: { readonly subjectId?: string; readonly note?: string } = {},
): Promise<string> {
  const [kind, action] = kobo < 0n ? ['adjustment', 'adjust'] : ['top_up', 'top-up'];
  await database.execute({
    text: `INSERT INTO audit_log (id, actor, action, organisation_id, target, before, after)
      SELECT uuidv7(), 'test', $1, $2::uuid, organisation_label($2), done -> 'before', done -> 'after'
      FROM apply_change($3, $2, $4, $5, $6, '{}') AS done`,
    values: [action, organisationId, kind, subjectId, kobo, note],
  });
  return subjectId;
}

/** A callback that waits for delivery. */
export async function aWaitingCallback(database: FactoryDatabase, organisationId: string): Promise<void> {
  await insert(database, 'callback', {
    organisationId,
    resourceId: newId(),
    requestId: 'request',
    type: 'test',
    url: 'https://example.com/cb',
    host: 'example.com',
    body: '{}',
  });
}

export async function anApiKey(
  database: FactoryDatabase,
  organisationId: string,
  { mode = 'test', ...columns }: Columns & { readonly mode?: 'live' | 'test' } = {},
): Promise<{ id: string; key: string }> {
  const key = `sk_${mode}_${uniqueBytes(32).toString('base64url')}`;
  const { id } = await insert(database, 'api_key', {
    organisationId,
    name: 'test',
    prefix: key.slice(0, 12),
    hash: createHash('sha256').update(key).digest(),
    scopes: ['lookup:read'],
    ...columns,
  });
  return { id, key };
}

/**
 * A factory of rows that belong to an organisation; it returns the id of the row. The columns that a test gives replace
 * the defaults, which may depend on them.
 */
const factory =
  (table: string, defaults: (columns: Columns) => Columns) =>
  async (database: FactoryDatabase, organisationId: string, columns: Columns = {}): Promise<string> =>
    (await insert(database, table, { organisationId, ...defaults(columns), ...columns })).id;

const recipient = { recipient: '+2348031234567', recipientGiven: '08031234567' };
const requestId = 'request-1';

export const aTemplate = factory('template', () => {
  const id = newId();
  return { id, name: id, channel: 'sms', body: 'Hello' };
});

/** A message without deliveries; nothing is charged. */
export const aMessage = factory('message', () => ({
  channel: 'sms',
  sender: 'Test',
  recipients: ['08031234567'],
  content: 'Hello',
  encoding: 'GSM-7',
  length: 5,
  pages: 1,
  chargeKobo: 400n,
  balanceKobo: 0n,
  requestId,
}));

const openDeliveryStates: readonly unknown[] = ['queued', 'submitting', 'sent'];

/** A delivery of a message (`messageId`) or of an OTP (`otpId`). It is due in a minute unless its state is final. */
export const aDelivery = factory('delivery', ({ state = 'queued', ...columns }) => ({
  ...recipient,
  lane: 'otpId' in columns ? 'otp' : 'sms',
  channel: 'sms',
  pages: 1,
  chargeKobo: 400n,
  nextAttemptAt: openDeliveryStates.includes(state) ? inMinutes(1) : null,
  updatedAt: state === 'queued' ? null : new Date(),
}));

/** An OTP without its delivery; nothing is charged. */
export const anOtp = factory('otp', () => ({
  ...recipient,
  channel: 'sms',
  hmac: Buffer.alloc(32),
  maxAttempts: 5,
  expiresAt: inMinutes(5),
  chargeKobo: 400n,
  requestId,
}));

/** An endpoint without a secret. */
export const anEndpoint = factory('callback_endpoint', () => ({
  url: 'https://example.com/events',
  host: 'example.com',
  events: ['message.sent', 'message.delivered', 'airtime.success'],
}));

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

const tablesWithoutId: ReadonlySet<string> = new Set(['sender', 'organisation_price']);

/** Inserts one row. A column whose value is `undefined` keeps the default of the table. */
async function insert(database: FactoryDatabase, table: string, row: Columns): Promise<{ id: string }> {
  const withId: Columns = tablesWithoutId.has(table) ? row : { id: newId(), ...row };
  const given = Object.entries(withId).filter(([, value]) => value !== undefined);
  const columns = given.map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const places = given.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`;
  await database.execute({ text, values: given.map(([, value]) => value) });
  return { id: String(withId['id']) };
}
