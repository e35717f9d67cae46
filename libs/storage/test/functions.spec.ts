import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../src/index.js';
import { readFunctions } from '../src/migrations/function-files.js';

interface Definition {
  readonly definition: string;
  readonly comment: string;
}

describe('the functions of the database', () => {
  let postgres: TestDatabase;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
  });
  afterAll(() => postgres.drop());

  const definitions = (name: string, run = (text: string) => runSql<Definition>(postgres.url, text)) =>
    run(
      `SELECT pg_get_functiondef(oid) AS definition, obj_description(oid, 'pg_proc') AS comment FROM pg_proc
       WHERE proname = '${name}' AND pronamespace = 'public'::regnamespace`,
    );
  const migrateAgain = async (): Promise<string[]> => {
    const lines: string[] = [];
    await migrate(postgres.url, (line) => lines.push(line));
    return lines;
  };

  it('are what their files say, with a search path that temporary tables cannot precede', async () => {
    const client = new pg.Client(postgres.url);
    await client.connect();
    const run = async (text: string) => (await client.query<Definition>(text)).rows;
    for (const { name, sql, checksum } of await readFunctions()) {
      const before = await definitions(name, run);
      expect(before).toMatchObject([{ comment: checksum }]);
      expect(before[0]?.definition).toContain(`SET search_path TO 'public', 'pg_temp'`);
      await client.query(`SET search_path = public, pg_temp; ${sql}; RESET search_path`);
      expect(await definitions(name, run)).toEqual(before);
    }
    await client.end();
  });

  it('have a file if they move money, run as their owner, or read tables as a trigger of the ledger', async () => {
    const found = await runSql<{ name: string }>(
      postgres.url,
      `SELECT proname AS name FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND (prosecdef OR prosrc ~* '(insert into|update) ledger_' OR prosrc ~ '(move|settle)_money'
         OR prosrc ~* 'from' AND oid IN (SELECT tgfoid FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'ledger_%')) ORDER BY 1`,
    );
    expect(found.map(({ name }) => name)).toEqual((await readFunctions()).map(({ name }) => name));
  });

  it('are applied when their text has changed, and only then', async () => {
    const [before] = await definitions('move_money');
    await runSql(
      postgres.url,
      `CREATE OR REPLACE FUNCTION report_low_balance() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       COMMENT ON FUNCTION report_low_balance IS 'an earlier text'`,
    );
    expect(await migrateAgain()).toEqual(['Applied the function report_low_balance']);
    expect(await migrateAgain()).toEqual([]);
    expect(await definitions('move_money')).toEqual([before]);
  });

  it('stay as they are in a database of a newer version', async () => {
    await runSql(
      postgres.url,
      `COMMENT ON FUNCTION move_money IS 'a later text';
       INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ('newer', 'newer', '20990101000000_newer', now())`,
    );
    expect(await migrateAgain()).toEqual([]);
    await runSql(postgres.url, `DELETE FROM _prisma_migrations WHERE id = 'newer'`);
    expect(await migrateAgain()).toEqual(['Applied the function move_money']);
  });

  it('fail a migration if one has a second signature, and change nothing', async () => {
    await runSql(
      postgres.url,
      `CREATE FUNCTION move_money(kobo bigint) RETURNS bigint LANGUAGE sql AS 'SELECT kobo';
       COMMENT ON FUNCTION move_money(bigint) IS 'another text'`,
    );
    await expect(migrate(postgres.url)).rejects.toThrow('function name "move_money" is not unique');
    await runSql(postgres.url, 'DROP FUNCTION move_money(bigint)');
    await migrate(postgres.url);
  });

  it('ignore temporary tables that hide those of the schema', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    try {
      await client.query(`
        CREATE TEMPORARY TABLE callback_endpoint (LIKE public.callback_endpoint);
        CREATE FUNCTION pg_temp.run_as_owner() RETURNS boolean LANGUAGE plpgsql AS
          'BEGIN RAISE ''ran as %'', current_user; END';
        CREATE TEMPORARY VIEW callback AS SELECT pg_temp.run_as_owner() AS id;
        INSERT INTO public.account (id, name) VALUES (uuidv7(), 'Acme');
        INSERT INTO public.organisation (id, account_id, mode, default_sender) SELECT uuidv7(), id, 'live', 'Acme' FROM public.account;
        INSERT INTO public.ledger_account (id, organisation_id, kind, balance, low_balance_kobo)
        SELECT uuidv7(), id, 'wallet', 0, 50 FROM public.organisation;
        UPDATE public.ledger_account SET balance = 100`);
      await expect(client.query('UPDATE public.ledger_account SET balance = 0')).resolves.toMatchObject({
        rowCount: 1,
      });
      await client.query(`
        INSERT INTO public.ledger_account (id, organisation_id, kind) SELECT uuidv7(), id, 'funding' FROM public.organisation;
        CREATE TEMPORARY VIEW ledger_account AS
        SELECT id, organisation_id, kind, balance FROM public.ledger_account WHERE pg_temp.run_as_owner()`);
      const topUp = `
        SELECT outcome FROM public.organisation,
          public.top_up_money(ARRAY[uuidv7()], ARRAY[organisation.id], ARRAY[5::bigint], ARRAY[NULL::text])`;
      await expect(client.query(topUp)).resolves.toMatchObject({ rows: [{ outcome: 'moved' }] });
    } finally {
      await client.end();
    }
  });
});
