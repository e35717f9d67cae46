import { charge, checkLedger } from '@gangan/billing';
import { Database, openCallbackSecret, pendingMigrations } from '@gangan/database';
import { callbackSecrets, reseal } from '@gangan/storage';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateCommand } from '../src/migrate-command.js';
import { fillAs, releases } from './support/released-database.js';

type Row = Record<string, unknown>;

/** These are converted. */
const convertedTables = ['ledger_transaction', 'ledger_entry', '_prisma_migrations'];

const id = (number: number): string => `019a0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const textOf = (row: Row): string => JSON.stringify(row);
const demo = '01900000-0000-7000-8000-000000000002';

describe.each(releases)('an upgrade from version %s', (version) => {
  const is02 = version === '0.2';
  let postgres: TestDatabase;
  let database: Database;
  let columns: Map<string, string[]>;
  let before: Map<string, Row[]>;
  let entries: Row[];
  let secrets: Row[];
  const said: string[] = [];

  const query = <Found extends object = Row>(text: string): Promise<Found[]> => runSql(postgres.url, text);
  const readTables = async (): Promise<Map<string, Row[]>> => {
    const rows = new Map<string, Row[]>();
    for (const [table, names] of columns) {
      const found = await query(`SELECT ${names.join(', ')} FROM ${table}`);
      rows.set(
        table,
        found.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)),
      );
    }
    return rows;
  };

  beforeAll(async () => {
    postgres = await createTestDatabase();
    await fillAs(version, postgres.url);
    // As texts, because they are compared.
    const found = await query<{ table: string; names: string[] }>(`
      SELECT attrelid::regclass::text AS table,
        array_agg(CASE WHEN atttypid IN ('jsonb'::regtype, 'text'::regtype, 'uuid'::regtype) THEN quote_ident(attname)
          ELSE format('%1$I::text AS %1$I', attname) END ORDER BY attnum) AS names
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 GROUP BY 1`);
    columns = new Map(found.map(({ table, names }) => [table, names]));
    for (const table of convertedTables) columns.delete(table);
    before = await readTables();
    entries = await query(`
      SELECT moved.id, moved.organisation_id, moved.kind::text, subject_id, note, created_at, account.kind::text AS account,
        amount, balance_after
      FROM ledger_transaction moved JOIN ledger_entry ON transaction_id = moved.id
      JOIN ledger_account account ON account.id = account_id ORDER BY moved.id, account`);
    secrets = await query('SELECT id, secret FROM callback_secret ORDER BY id');
    const code = await migrateCommand(
      [],
      { DATABASE_URL: postgres.url },
      { print: (line) => said.push(line), printError: (line) => said.push(`ERROR ${line}`) },
    );
    expect([code, said.filter((line) => line.startsWith('ERROR'))]).toEqual([0, []]);
    database = new Database({ url: postgres.url, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  it('applies all later migrations, and reports what an operator has to do', async () => {
    expect(await pendingMigrations(postgres.url)).toEqual([]);
    const live = 'because live organisations sent there in the last 90 days';
    expect(said.filter((line) => !line.startsWith('Applied '))).toEqual([
      ...(is02
        ? [`Price: sms to 233 costs NGN 4.00, ${live}`, `Price: whatsapp to 234 costs NGN 5.00, ${live}`]
        : []),
      'Live organisations can no longer send to countries without a price: check `pnpm admin prices list`',
      `Ledger: ${is02 ? 26 : 13} movements converted; the balances of ${is02 ? 25 : 10} accounts are the same`,
      expect.stringMatching(/^\d+ applied; the schema is up to date$/),
      'The queue tables are up to date',
      'The roles of the apps are up to date',
      expect.stringMatching(`^${secrets.length} callback secrets are stored in plain text`),
    ]);
  });

  it('leaves the rows of all tables as they were', async () => {
    const after = await readTables();
    expect([...after.keys()]).toEqual([...before.keys()]);
    const changed = new Set(['organisation', 'price']);
    for (const [table, rows] of before)
      if (!changed.has(table)) expect([table, after.get(table)]).toEqual([table, rows]);
    const withCategory = (rows: Row[] = []): Row[] =>
      rows.map((row) => {
        const settings = row['settings'] as { sms?: { respect_dnd?: boolean } };
        const sms = { ...settings.sms, default_category: 'promotional' };
        return settings.sms?.respect_dnd ? { ...row, settings: { ...settings, sms } } : row;
      });
    expect(after.get('organisation')).toEqual(withCategory(before.get('organisation')));
    expect(after.get('price')).toEqual(expect.arrayContaining(before.get('price') ?? []));
  });

  it('converts every entry and balance of the ledger', async () => {
    expect(entries.length).toBeGreaterThan(20);
    expect(
      await query(`
        SELECT id, organisation_id, kind::text, subject_id, note, created_at, account, amount, balance_after
        FROM ledger_movement CROSS JOIN LATERAL (VALUES
          (from_account::text, -kobo, CASE from_account WHEN 'wallet' THEN wallet_after WHEN 'reserved' THEN reserved_after END),
          (to_account::text, kobo, CASE to_account WHEN 'wallet' THEN wallet_after WHEN 'reserved' THEN reserved_after END))
          AS side (account, amount, balance_after)
        ORDER BY id, account`),
    ).toEqual(entries);
    const { findings, warnings } = await checkLedger(database);
    expect({ findings, warnings }).toEqual({ findings: [], warnings: [] });
    expect(
      await query(`SELECT FROM ledger_movement WHERE (kind = 'refund') <> (charge_id IS NOT NULL)`),
    ).toEqual([]);
    const spent = await query(`
      SELECT organisation_id, otp_spent_kobo::int AS kobo FROM ledger_account
      WHERE kind = 'wallet' AND spent_on = (now() AT TIME ZONE 'UTC')::date ORDER BY 1`);
    expect(spent).toEqual([
      { organisation_id: id(2), kobo: 350 },
      ...(is02 ? [{ organisation_id: id(101), kobo: 400 }] : []),
    ]);
  });

  it('gives the demo organisation no limits, and others the defaults', async () => {
    const limits = await query(`
      SELECT id, daily_spend_kobo::int AS daily, contact_rows AS rows, response_bytes::int AS bytes, simulated_messages AS messages,
        restricted_callbacks AS restricted, fair_keys AS fair FROM organisation ORDER BY id`);
    const others = { daily: null, rows: null, bytes: null, messages: null, restricted: false, fair: false };
    expect(limits).toEqual([
      ...(is02 ? [{ ...others, id: demo, daily: 0, rows: 0, bytes: 0, messages: 0 }] : []),
      ...[2, 3, ...(is02 ? [101, 102] : [])].map((number) => ({ ...others, id: id(number) })),
    ]);
  });

  it('adds the prices of countries, and lists them in the audit log', async () => {
    const prices = await query(
      `SELECT service::text || ' ' || prefix AS price, kobo::int, test_only FROM price ORDER BY service::text, prefix`,
    );
    const seeded = (price: string, kobo: number) => ({ price, kobo, test_only: true });
    const priced = (price: string, kobo: number) => ({ price, kobo, test_only: false });
    expect(prices).toEqual([
      seeded('lookup ', 0),
      seeded('sms ', 400),
      ...(is02 ? [priced('sms 233', 400)] : []),
      priced('sms 234', 350),
      seeded('whatsapp ', 500),
      ...(is02 ? [priced('whatsapp 234', 500)] : []),
    ]);
    expect(
      await query(
        `SELECT target, number::int FROM audit_log JOIN audit_link ON entry_id = id
         WHERE organisation_id IS NULL ORDER BY number`,
      ),
    ).toEqual(is02 ? [expect.objectContaining({ number: 1 }), expect.objectContaining({ number: 2 })] : []);
  });

  it('counts the bytes of contacts and smartlists', async () => {
    const sizes = `SELECT table_id, sum(bytes)::int AS bytes FROM (
      SELECT table_id, octet_length(cells::text) AS bytes FROM contact_row
      UNION ALL SELECT table_id, octet_length(filters::text) FROM smartlist WHERE NOT everyone) AS stored
      GROUP BY 1 ORDER BY 1`;
    const counted = await query(
      'SELECT table_id, sum(delta)::int AS bytes FROM contact_size_tally GROUP BY 1 ORDER BY 1',
    );
    expect(counted).toHaveLength(is02 ? 2 : 1);
    expect(counted).toEqual(await query(sizes));
  });

  it('seals the callback secrets, which stay the same', async () => {
    const sealer = masterSealer([newSealingKey()]);
    expect(await reseal(database, sealer, callbackSecrets)).toMatchObject({
      resealed: secrets.length,
      damaged: 0,
    });
    const rows = await database.callbackSecret.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ secret }) => secret)).toEqual(rows.map(() => null));
    expect(rows.map((row) => ({ id: row.id, secret: openCallbackSecret(sealer, row) }))).toEqual(secrets);
  });

  it('leaves rows that this version can read and charge for', async () => {
    const organisation = await database.organisation.findFirstOrThrow({ where: { mode: 'live' } });
    const [result] = await charge(database, 'message', [
      { subjectId: organisation.id, organisationId: organisation.id, kobo: 1n },
    ]);
    expect(result).toMatchObject({ ok: true, repeated: false });
    const found = await Promise.all([
      database.apiKey.findMany(),
      database.message.findMany(),
      database.delivery.findMany(),
      database.otp.findMany(),
      database.airtimePurchase.findMany(),
      database.callback.findMany(),
      database.contactRow.findMany(),
    ]);
    expect(found.map((rows) => rows.length)).toEqual(is02 ? [6, 4, 15, 2, 3, 4, 8] : [2, 1, 9, 1, 1, 4, 3]);
  });
});
