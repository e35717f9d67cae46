import { aDelivery, aMessage, anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { newId } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, type Migration, Prisma, readMigrations, sql } from '@gangan/database';
import { migrate } from '../src/index.js';

const name = '20261120001500_ledger_converted';

/** Books as version 0.2 does: the balances first, then both entries in one statement. */
const bookTransaction = `
  CREATE FUNCTION book_transaction(organisation uuid, kind text, source text, target text, kobo bigint, subject uuid)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    booked uuid := uuidv7();
  BEGIN
    INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note)
    VALUES (booked, organisation, kind::ledger_transaction_kind, subject, 'note of a ' || kind);
    UPDATE ledger_account own SET balance = balance + CASE own.kind::text WHEN source THEN -kobo ELSE kobo END
    WHERE organisation_id = organisation AND own.kind::text IN (source, target) AND balance IS NOT NULL;
    INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
    SELECT booked, id, CASE own.kind::text WHEN source THEN -kobo ELSE kobo END, balance FROM ledger_account own
    WHERE organisation_id = organisation AND own.kind::text IN (source, target);
  END $$`;

describe('the conversion of the ledger to one row per movement', () => {
  let postgres: TestDatabase;
  let database: Database;
  let conversion: Migration;
  let organisations: string[];

  beforeEach(async () => {
    const migrations = await readMigrations();
    conversion = migrations.find((migration) => migration.name === name) as Migration;
    postgres = await createTestDatabase((url) =>
      migrate(
        url,
        undefined,
        migrations.filter((migration) => migration.name < name),
      ),
    );
    database = new Database({ url: postgres.url, poolSize: 2 });
    await database.execute(Prisma.raw(bookTransaction));
    organisations = [];
    for (let made = 0; made < 3; made += 1) organisations.push((await anOrganisation(database)).id);
    for (const organisation of organisations) {
      await book(organisation, 'top_up', 'funding', 'wallet', 1_000n);
      await book(organisation, 'adjustment', 'funding', 'wallet', 7n);
      await book(organisation, 'adjustment', 'wallet', 'funding', 3n);
      await book(organisation, 'charge', 'wallet', 'revenue', 50n);
      await book(organisation, 'refund', 'revenue', 'wallet', 20n);
      for (const settled of ['post', 'void', undefined]) {
        const purchase = await book(organisation, 'reserve', 'wallet', 'reserved', 100n);
        if (settled === 'post') await book(organisation, 'post', 'reserved', 'revenue', 100n, purchase);
        if (settled !== 'void') continue;
        await book(organisation, 'void', 'reserved', 'wallet', 100n, purchase);
        await book(organisation, 'loss', 'loss', 'revenue', 100n, purchase);
      }
    }
  });
  afterEach(async () => {
    await database.close();
    await postgres.drop();
  });

  /** Returns the subject. */
  const book = async (
    organisation: string,
    kind: string,
    from: string,
    to: string,
    kobo: bigint,
    subject = newId(),
  ): Promise<string> => {
    await database.execute(
      sql`SELECT book_transaction(${organisation}::uuid, ${kind}, ${from}, ${to}, ${kobo}, ${subject}::uuid)`,
    );
    return subject;
  };

  const entries = () =>
    database.query(sql`
      SELECT moved.id, moved.organisation_id, moved.kind::text, subject_id, note, created_at, account.kind::text AS account,
        amount, balance_after
      FROM ledger_transaction moved JOIN ledger_entry ON transaction_id = moved.id
      JOIN ledger_account account ON account.id = account_id ORDER BY moved.id, account`);
  /** The movements as the entries that they were. */
  const entriesOfMovements = () =>
    database.query(sql`
      SELECT id, organisation_id, kind::text, subject_id, note, created_at, account, amount, balance_after
      FROM ledger_movement CROSS JOIN LATERAL (VALUES
        (from_account::text, -kobo, CASE from_account WHEN 'wallet' THEN wallet_after WHEN 'reserved' THEN reserved_after END),
        (to_account::text, kobo, CASE to_account WHEN 'wallet' THEN wallet_after WHEN 'reserved' THEN reserved_after END))
        AS side (account, amount, balance_after)
      ORDER BY id, account`);
  /** Without the rules of the database. */
  const plant = (statement: string) =>
    database.transaction(async (transaction) => {
      await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
      await transaction.execute(Prisma.raw(statement));
    });
  const convertPortion = (rows: number) =>
    database.execute(Prisma.raw(conversion.portion?.sql.replace('$1', String(rows)) ?? ''));
  const convert = async (rows = 10_000): Promise<string[]> => {
    const portion = { sql: conversion.portion?.sql ?? '', rows };
    const lines: string[] = [];
    await migrate(postgres.url, (line) => lines.push(line), [{ ...conversion, portion }]);
    return lines;
  };
  const oldTables = () =>
    database.query(sql`SELECT to_regclass('ledger_entry') IS NOT NULL AS exist`).then(([row]) => row);

  it('keeps every id, amount and balance, in portions of any size', async () => {
    const before = await entries();
    expect(before).toHaveLength(66);
    expect(await convert(5)).toEqual([
      'Ledger: 33 movements converted; the balances of 15 accounts are the same',
      `Applied ${name}`,
    ]);
    expect(await entriesOfMovements()).toEqual(before);
    expect(await oldTables()).toEqual({ exist: false });
  });

  it('adds what operators booked before to the audit log', async () => {
    await convert();
    const entries = await database.query(sql`
      SELECT moved.organisation_id AS organisation, actor, action, target, after ->> 'kind' AS kind, (after -> 'naira')::float8 AS naira,
        after ->> 'note' AS note
      FROM audit_log JOIN ledger_movement moved ON subject_id::text = after ->> 'subject' AND kind::text = after ->> 'kind'
        AND moved.organisation_id = audit_log.organisation_id
      ORDER BY moved.organisation_id, kind DESC, naira DESC`);
    const common = { actor: 'pnpm migrate', action: 'ledger convert', target: 'Test/test' };
    const entry = (organisation: string, kind: string, naira: number) => ({
      ...{ ...common, organisation, kind, naira, note: `note of a ${kind}` },
    });
    expect(entries).toEqual(
      organisations
        .toSorted()
        .flatMap((organisation) => [
          entry(organisation, 'top_up', 10),
          entry(organisation, 'adjustment', 0.07),
          entry(organisation, 'adjustment', -0.03),
        ]),
    );
  });

  it('names the charge of each refund', async () => {
    const [organisation = ''] = organisations;
    const message = await aMessage(database, organisation);
    const delivery = await aDelivery(database, organisation, { messageId: message });
    const otp = newId();
    const growth = `${message.slice(0, 14)}8${message.slice(15)}`;
    for (const subject of [delivery, otp, growth])
      await book(organisation, 'refund', 'revenue', 'wallet', 1n, subject);
    await convert();
    const charges = await database.query<{ subject: string; charge: string }>(sql`
      SELECT subject_id AS subject, charge_id AS charge FROM ledger_movement
      WHERE subject_id = ANY (${[delivery, otp, growth]}::uuid[])`);
    expect(Object.fromEntries(charges.map(({ subject, charge }) => [subject, charge]))).toEqual({
      [delivery]: message,
      [otp]: otp,
      [growth]: message,
    });
    expect(
      await database.query(
        sql`SELECT FROM ledger_movement WHERE (kind = 'refund') <> (charge_id IS NOT NULL)`,
      ),
    ).toEqual([]);
  });

  it('converts what was booked while portions were converted', async () => {
    const [organisation = ''] = organisations;
    const early = '01000000-0000-7000-8000-000000000000';
    await convertPortion(5);
    await book(organisation, 'charge', 'wallet', 'revenue', 9n, early);
    const before = await entries();
    await convert(5);
    expect(await entriesOfMovements()).toEqual(before);
  });

  it('continues after the last portion, although ids of payments with a reference are greater than all others', async () => {
    const [organisation = ''] = organisations;
    const payments = ['7', 'd'].map((digit) => `${digit}5b1c0de-1234-8abc-9def-0123456789ab`);
    for (const subject of payments) await book(organisation, 'top_up', 'funding', 'wallet', 5n, subject);
    const before = (await entries()).length / 2 - payments.length;
    expect(await convertPortion(10_000)).toBe(before);
    for (const kobo of [9n, 8n]) await book(organisation, 'charge', 'wallet', 'revenue', kobo);
    expect(await convertPortion(10_000)).toBe(2);
    const all = await entries();
    await convert();
    expect(await entriesOfMovements()).toEqual(all);
  });

  it('ends with a small portion, although something is booked during each', async () => {
    await database.execute(Prisma.raw('CREATE SEQUENCE portions'));
    // The last step has a lock timeout and keeps others from booking.
    await database.execute(
      Prisma.raw(`
        CREATE FUNCTION book_another() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF current_setting('lock_timeout') = '0' AND nextval('portions') <= 20 THEN
            PERFORM book_transaction((SELECT id FROM organisation ORDER BY id LIMIT 1), 'top_up', 'funding', 'wallet', 1,
              uuidv7());
          END IF;
          RETURN NULL;
        END $$`),
    );
    await database.execute(
      Prisma.raw(
        'CREATE TRIGGER book_another AFTER INSERT ON ledger_movement EXECUTE FUNCTION book_another()',
      ),
    );
    const [info] = await convert(10);
    expect(info).toMatch(/^Ledger: 3\d movements converted/);
  });

  it('converts an empty ledger', async () => {
    await plant('DELETE FROM ledger_entry');
    await plant('DELETE FROM ledger_transaction');
    await plant('UPDATE ledger_account SET balance = 0 WHERE balance IS NOT NULL');
    expect(await convert()).toEqual([`Applied ${name}`]);
    expect(await entriesOfMovements()).toEqual([]);
  });

  it.each([
    [
      'a stored balance that is not the sum of its entries',
      `UPDATE ledger_account SET balance = balance + 1 WHERE kind = 'wallet'`,
      /balances differ: wallet of organisation [-0-9a-f]{36}: stored 775, entries 774, movements 774/,
    ],
    [
      'a transaction with one entry',
      'DELETE FROM ledger_entry WHERE amount = -50',
      /ledger transactions have not two entries of their organisation that sum to zero: [-0-9a-f]{36}, /,
    ],
    [
      'a transaction whose entries do not sum to zero',
      'UPDATE ledger_entry SET amount = 51 WHERE amount = 50',
      /ledger transactions have not two entries/,
    ],
    [
      'an entry on an account of another organisation',
      `UPDATE ledger_entry SET account_id = (SELECT id FROM ledger_account WHERE kind = 'loss' ORDER BY id LIMIT 1)
       WHERE amount = 50`,
      /ledger transactions have not two entries/,
    ],
  ])('refuses %s, and changes nothing', async (_what, fault, message) => {
    await plant(fault);
    const before = await entries();
    await expect(convert()).rejects.toThrow(message);
    expect(await entries()).toEqual(before);
    expect(await oldTables()).toEqual({ exist: true });
  });

  it('refuses a movement that is not what its entries were', async () => {
    await convertPortion(10_000);
    await plant(`UPDATE ledger_movement SET wallet_after = wallet_after + 1 WHERE kind = 'top_up'`);
    await expect(convert()).rejects.toThrow('balances differ');
    await plant(`UPDATE ledger_movement SET wallet_after = wallet_after - 1 WHERE kind = 'top_up'`);
    await plant(`UPDATE ledger_movement SET kobo = kobo + 1 WHERE kind = 'charge'`);
    await expect(convert()).rejects.toThrow('balances differ');
    await plant(`UPDATE ledger_movement SET kobo = kobo - 1 WHERE kind = 'charge'`);
    await convert();
  });
});
