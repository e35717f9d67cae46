import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Database } from '@gangan/database';
import { AppError, newId } from '@gangan/protocol';
import { seededRandom, createTestDatabase, type TestDatabase } from '@gangan/testing';
import pg from 'pg';
import { audit } from '../src/charge/audit.js';
import { chargeMany } from '../src/charge/charge-many.js';
import { chargeOne } from '../src/charge/charge-one.js';
import type { Order } from '../src/charge/order.js';
import { createTables, openingBalance, organisations, price, resetTables } from '../src/charge/tables.js';

const random = seededRandom('charge test');
let postgres: TestDatabase;
let client: pg.Client;
let database: Database;

beforeAll(async () => {
  postgres = await createTestDatabase();
  client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await createTables(client);
  database = new Database({ url: postgres.url, poolSize: 8 });
});
afterAll(async () => {
  await database.close();
  await client.end();
  await postgres.drop();
});
beforeEach(() => resetTables(client));

const order = (organisation = 0): Order => ({
  id: newId(),
  organisation: organisations[organisation] ?? '',
  recipient: '2348031234567',
  content: 'Hello',
});

const leave = async (organisation: number, charges: bigint): Promise<void> => {
  await client.query('UPDATE bench_wallet SET balance = $2 WHERE id = $1', [
    organisations[organisation],
    charges * price,
  ]);
};

it('charges one and returns the balance', async () => {
  const one = order();
  const left = (openingBalance - price).toString();
  expect(await chargeOne(database, one)).toMatchObject({ id: one.id, balance: left });
  await audit(client, { succeeded: 1, uncertain: 0 });
});

it('charges a batch, each in order with its own balance', async () => {
  const batch = [order(1), order(2), order(1)];
  const balances = [1n, 1n, 2n].map((charges) => (openingBalance - charges * price).toString());
  expect(await chargeMany(database, batch)).toMatchObject(
    batch.map(({ id }, index) => ({ id, balance: balances[index] })),
  );
  await audit(client, { succeeded: 3, uncertain: 0 });
});

it('debits no more than the balance, and refuses only the charges that exceed it', async () => {
  await leave(3, 2n);
  const answers = await chargeMany(database, [order(3), order(3), order(4), order(3)]);
  expect(answers.map((answer) => (answer instanceof AppError ? answer.code : 'charged'))).toEqual([
    'charged',
    'charged',
    'charged',
    'insufficient_balance',
  ]);
  await expect(chargeOne(database, order(3))).rejects.toMatchObject({ status: 402 });
});

it('returns the stored row if a charge is repeated', async () => {
  const batch = [order(5), order(5)];
  const first = await chargeMany(database, batch);
  expect(await chargeMany(database, [...batch, order(5)])).toMatchObject([...first, {}]);
  await audit(client, { succeeded: 3, uncertain: 0 });
});

it('adds up if many batches debit the same wallets at once', async () => {
  const batches = Array.from({ length: 60 }, () =>
    Array.from({ length: 32 }, () => order(Math.floor(random() * 10))),
  );
  await Promise.all(batches.map((batch) => chargeMany(database, batch)));
  await audit(client, { succeeded: 60 * 32, uncertain: 0 });
});

it('finds responses without work, and work without a response', async () => {
  await chargeMany(database, [order(6), order(7)]);
  await expect(audit(client, { succeeded: 3, uncertain: 0 })).rejects.toThrow('do not match');
  await expect(audit(client, { succeeded: 1, uncertain: 0 })).rejects.toThrow('do not match');
  await audit(client, { succeeded: 1, uncertain: 1 });
});

it('finds a wallet that does not add up', async () => {
  await chargeMany(database, [order(8)]);
  await client.query('UPDATE bench_wallet SET balance = balance - 1 WHERE id = $1', [organisations[8]]);
  await expect(audit(client, { succeeded: 1, uncertain: 0 })).rejects.toThrow('1 wallets do not add up');
});
