import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@gangan/protocol';

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
  /** Other columns of `organisation`: `status`, `settings`, limits … */
  readonly [column: string]: unknown;
}

export interface TestOrganisation {
  readonly id: string;
  readonly accountId: string;
  readonly callbackSecret: string;
}

/** An organisation of an account of its own, with ledger accounts and a callback secret. */
export async function anOrganisation(
  database: FactoryDatabase,
  { mode = 'test', balanceKobo = 0n, accountStatus, senders, ...columns }: OrganisationOptions = {},
): Promise<TestOrganisation> {
  const [id, accountId] = [newId(), newId()];
  const callbackSecret = `whsec_${randomBytes(32).toString('base64')}`;
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
  await insert(database, 'callback_secret', { id: newId(), organisationId: id, secret: callbackSecret });
  await openAccounts(database, id, balanceKobo);
  return { id, accountId, callbackSecret };
}

async function openAccounts(database: FactoryDatabase, organisationId: string, kobo: bigint): Promise<void> {
  const account = async (kind: string, balance?: bigint): Promise<string> => {
    const { id } = await insert(database, 'ledger_account', { organisationId, kind, balance });
    return id;
  };
  const wallet = await account('wallet', kobo);
  const funding = await account('funding');
  await account('reserved', 0n);
  await account('revenue');
  await account('loss');
  if (kobo === 0n) return;
  const payment = { organisationId, kind: 'top_up', subjectId: newId() };
  const { id } = await insert(database, 'ledger_transaction', payment);
  await database.execute({
    text: `INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
      VALUES ($1, $2, $4, $4), ($1, $3, -$4::bigint, NULL)`,
    values: [id, wallet, funding, kobo],
  });
}

export interface TestApiKey {
  readonly id: string;
  readonly key: string;
}

export async function anApiKey(
  database: FactoryDatabase,
  organisationId: string,
  { mode = 'test', ...columns }: Columns & { readonly mode?: 'live' | 'test' } = {},
): Promise<TestApiKey> {
  const key = `sk_${mode}_${randomBytes(32).toString('base64url')}`;
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

export const aTemplate = async (
  database: FactoryDatabase,
  organisationId: string,
  columns: Columns = {},
): Promise<string> => {
  const id = newId();
  const defaults = { id, organisationId, name: id, channel: 'sms', body: 'Hello' };
  return (await insert(database, 'template', { ...defaults, ...columns })).id;
};

/** A message without deliveries; nothing is charged. */
export const aMessage = async (
  database: FactoryDatabase,
  organisationId: string,
  columns: Columns = {},
): Promise<string> => {
  const { id } = await insert(database, 'message', {
    organisationId,
    channel: 'sms',
    sender: 'Test',
    recipients: ['08031234567'],
    content: 'Hello',
    encoding: 'GSM-7',
    length: 5,
    pages: 1,
    chargeKobo: 400n,
    balanceKobo: 0n,
    requestId: 'request-1',
    ...columns,
  });
  return id;
};

const openDeliveryStates = ['queued', 'submitting', 'sent'];

/** A delivery of a message or, with `lane: 'otp'`, of an OTP. It is due in a minute unless its state is final. */
export const aDelivery = async (
  database: FactoryDatabase,
  organisationId: string,
  columns: Columns & ({ readonly messageId: string } | { readonly otpId: string }),
): Promise<string> => {
  const { state = 'queued' } = columns;
  const { id } = await insert(database, 'delivery', {
    organisationId,
    lane: 'otpId' in columns ? 'otp' : 'sms',
    channel: 'sms',
    recipient: '+2348031234567',
    recipientGiven: '08031234567',
    pages: 1,
    chargeKobo: 400n,
    nextAttemptAt: openDeliveryStates.includes(state as string) ? inMinutes(1) : null,
    updatedAt: state === 'queued' ? null : new Date(),
    ...columns,
  });
  return id;
};

/** An OTP without its delivery; nothing is charged. */
export const anOtp = async (
  database: FactoryDatabase,
  organisationId: string,
  columns: Columns = {},
): Promise<string> => {
  const { id } = await insert(database, 'otp', {
    organisationId,
    recipient: '+2348031234567',
    recipientGiven: '08031234567',
    channel: 'sms',
    hmac: Buffer.alloc(32),
    maxAttempts: 5,
    expiresAt: inMinutes(5),
    chargeKobo: 400n,
    requestId: 'request-1',
    ...columns,
  });
  return id;
};

const openPurchaseStates = ['pending', 'submitting', 'sent'];

/** An airtime purchase; nothing is reserved. It is due now unless its state is final or `error`. */
export const aPurchase = async (
  database: FactoryDatabase,
  organisationId: string,
  columns: Columns = {},
): Promise<string> => {
  const { state = 'pending' } = columns;
  const { id } = await insert(database, 'airtime_purchase', {
    organisationId,
    network: 'MTN',
    recipient: '+2348031234567',
    recipientGiven: '08031234567',
    amountKobo: 10_000n,
    balanceBeforeKobo: 10_000n,
    nextAttemptAt: openPurchaseStates.includes(state as string) ? new Date() : null,
    requestId: 'request-1',
    ...columns,
  });
  return id;
};

/** A callback; due now if it is `pending`, otherwise ended now. */
export const aCallback = async (
  database: FactoryDatabase,
  organisationId: string,
  columns: Columns = {},
): Promise<string> => {
  const isPending = (columns['state'] ?? 'pending') === 'pending';
  const { id } = await insert(database, 'callback', {
    organisationId,
    type: 'airtime.sent',
    resourceId: newId(),
    url: 'https://example.com/',
    host: 'example.com',
    body: '{}',
    requestId: 'request-1',
    nextAttemptAt: isPending ? new Date() : null,
    endedAt: isPending ? null : new Date(),
    ...columns,
  });
  return id;
};

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

/** Inserts one row. A column whose value is `undefined` keeps the default of the table. */
async function insert(database: FactoryDatabase, table: string, row: Columns): Promise<{ id: string }> {
  const withId: Columns = table === 'sender' ? row : { id: newId(), ...row };
  const given = Object.entries(withId).filter(([, value]) => value !== undefined);
  const columns = given.map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const places = given.map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`;
  await database.execute({ text, values: given.map(([, value]) => value) });
  return { id: String(withId['id']) };
}
