import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type AppName, appNames } from '@gangan/protocol';
import { createAppLogins, grantRoles, migrate, perApp, roleOf } from '../src/index.js';
import { readFunctions } from '../src/migrations/function-files.js';
import { readMigrations } from '@gangan/database';
import { appGrants, functionGrants, sequenceGrants } from '../src/roles/app-grants.js';
import { operatorFunctions, operatorGrants } from '../src/roles/operator-grants.js';

const denied = { code: '42501' };
const passwords = perApp((app) => `password-of-${app}`);

const databases: TestDatabase[] = [];
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function newDatabase(...preparations: ((url: string) => Promise<unknown>)[]): Promise<string> {
  const database = await createTestDatabase(...preparations);
  databases.push(database);
  return database.url;
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

describe('the roles of the apps', () => {
  let main: string;
  let urls: Readonly<Record<AppName, string>>;
  beforeAll(async () => {
    main = await newDatabase(migrate);
    expect(await grantRoles(main)).toEqual({ granted: true });
    urls = await createAppLogins(main, passwords);
  });

  const names = async (url: string, sql: string): Promise<string[]> =>
    (await runSql<{ name: string }>(url, sql)).map(({ name }) => name);

  it('and of operators have privileges on every table', async () => {
    const tables = await names(
      main,
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
         AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1`,
    );
    const listed = new Set([
      ...Object.values(appGrants).flatMap(Object.keys),
      ...Object.keys(operatorGrants),
    ]);
    const advice = 'list what each app may do with it in libs/storage/src/roles/app-grants.ts';
    expect(tables.filter((table) => !listed.has(table)).map((table) => `${table}: ${advice}`)).toEqual([]);
    expect(
      [...listed].filter((table) => !tables.includes(table)).map((table) => `${table} does not exist`),
    ).toEqual([]);
  });

  it('have privileges on every sequence that an INSERT uses', async () => {
    const sequences = await names(
      main,
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
         AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'i') ORDER BY 1`,
    );
    const listed = new Set(Object.values(sequenceGrants).flat());
    const advice = 'list it in the sequenceGrants of libs/storage/src/roles/app-grants.ts';
    expect(sequences.filter((name) => !listed.has(name)).map((name) => `${name}: ${advice}`)).toEqual([]);
  });

  /** A login of operators, beside those of the apps. */
  const operatorUrl = async (name = 'ada'): Promise<string> => {
    const url = new URL(main);
    url.username = url.password = `${name}_of_${nameOf(main)}`;
    await runSql(
      main,
      `CREATE ROLE ${url.username} LOGIN PASSWORD '${url.password}' IN ROLE ${roleOf('operator', nameOf(main))}`,
    );
    return url.href;
  };

  it('move money only with the functions of their role, and write neither the ledger nor balances', async () => {
    const files = (await readFunctions()).map(({ name }) => name);
    const calls = await runSql<{ name: string; call: string }>(
      main,
      `SELECT proname AS name, format('SELECT FROM %s(%s)', proname, concat_ws(', ', VARIADIC array_fill('NULL'::text, ARRAY[pronargs::int]))) AS call
       FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype
         AND (prosecdef OR proname IN (${files.map((name) => `'${name}'`).join(', ')}))`,
    );
    const ofTriggers = [
      ...['ledger_movement_balances', 'report_low_balance'],
      ...['audit_link_added', 'audit_link_numbered'],
    ];
    expect(calls.map(({ name }) => name)).toEqual(
      expect.arrayContaining(files.filter((name) => !ofTriggers.includes(name))),
    );
    const users = [
      ...appNames.map((app) => ({ user: app, url: urls[app], allowed: functionGrants[app] ?? [] })),
      { user: 'operator', url: await operatorUrl(), allowed: operatorFunctions },
    ];
    for (const { user, url, allowed } of users) {
      const client = new pg.Client(url);
      await client.connect();
      for (const { name, call } of calls) {
        // A call that is allowed fails because of its arguments, or does nothing.
        const code = await client.query(call).then(
          () => 'allowed',
          (error: unknown) => (error as { code: string }).code,
        );
        expect([user, name, code !== denied.code]).toEqual([user, name, allowed.includes(name)]);
      }
      for (const statement of [
        `INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo)
         VALUES (uuidv7(), 'top_up', uuidv7(), uuidv7(), 'funding', 'wallet', 900000000)`,
        'UPDATE ledger_movement SET kobo = 1',
        'DELETE FROM ledger_movement',
        'UPDATE ledger_account SET balance = balance + 1',
        'UPDATE ledger_account SET message_spent_kobo = 0',
        'DELETE FROM ledger_account',
        'UPDATE money_limit SET kobo = 0',
        'DELETE FROM money_limit',
        `INSERT INTO money_limit (name, kobo) VALUES ('further', 0)`,
      ])
        await expect(client.query(statement)).rejects.toMatchObject(denied);
      await client.end();
    }
  });

  it.each([
    [
      'callback',
      'writes the ledger',
      `INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo)
       VALUES (uuidv7(), 'top_up', uuidv7(), uuidv7(), 'funding', 'wallet', 1)`,
    ],
    ['callback', 'changes a balance', 'UPDATE ledger_account SET balance = balance + 1'],
    ['callback', 'reads a balance', 'SELECT balance FROM ledger_account'],
    ['gateway', 'reads the secrets of callbacks', 'SELECT * FROM callback_secret'],
    ['gateway', 'changes a balance', 'UPDATE ledger_account SET balance = balance + 1'],
    ['gateway', 'gives a key more scopes', `UPDATE api_key SET scopes = '{}'`],
    ['gateway', 'reads one-time passwords', 'SELECT * FROM otp'],
    ['messaging', 'reads API keys', 'SELECT * FROM api_key'],
    ['messaging', 'changes the ledger', 'UPDATE ledger_movement SET kobo = 0'],
    ['messaging', 'removes movements of money', 'DELETE FROM ledger_movement'],
    [
      'messaging',
      'moves a wallet to another organisation',
      'UPDATE ledger_account SET organisation_id = NULL',
    ],
    ['messaging', 'raises a limit', 'UPDATE organisation SET requests_per_second = 0'],
    ['otp', 'reads contacts', 'SELECT * FROM contact_row'],
    ['otp', 'reads the secrets of providers', 'SELECT sealed_secrets FROM provider'],
    ['otp', 'reads the settings of providers', 'SELECT settings FROM provider'],
    ['contacts', 'reads messages', 'SELECT * FROM message'],
    ['airtime', 'reads messages', 'SELECT * FROM message'],
    ['lookup', 'changes the registry', 'DELETE FROM dnd_number'],
  ] as const)('do not allow that %s %s', async (app, _what, sql) => {
    await expect(runSql(urls[app], sql)).rejects.toMatchObject(denied);
  });

  it.each(appNames)(
    'do not allow that %s changes the schema, empties a table or acts as another app',
    async (app) => {
      const other = app === 'gateway' ? 'callback' : 'gateway';
      for (const sql of [
        'CREATE TABLE mine (id int)',
        'CREATE SCHEMA mine',
        'TRUNCATE ledger_movement',
        `SET ROLE ${roleOf(other, nameOf(main))}`,
        `CREATE ROLE mine`,
        `COPY organisation TO PROGRAM 'cat'`,
      ])
        await expect(runSql(urls[app], sql)).rejects.toMatchObject(denied);
      await expect(runSql(urls[app], 'ALTER TABLE ledger_movement DISABLE TRIGGER ALL')).rejects.toThrow(
        /must be owner/,
      );
      const [user] = await runSql(
        urls[app],
        'SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls AS may FROM pg_roles WHERE rolname = current_user',
      );
      expect(user).toEqual({ may: false });
    },
  );

  describe('of providers', () => {
    beforeAll(() =>
      runSql(
        main,
        `INSERT INTO provider (id, name, kind, domains, channels, settings)
         SELECT uuidv7(), domain || '-provider', 'http', ARRAY[domain]::provider_domain[],
           CASE domain WHEN 'message' THEN ARRAY['sms'::channel] ELSE '{}' END, '{}'
         FROM unnest(ARRAY['message', 'airtime', 'lookup']) AS domain`,
      ),
    );

    it.each([
      ['messaging', 'message'],
      ['otp', 'message'],
      ['airtime', 'airtime'],
      ['lookup', 'lookup'],
    ] as const)('show %s those of its domain only', async (app, domain) => {
      expect(await names(urls[app], 'SELECT name FROM provider')).toEqual([`${domain}-provider`]);
      expect(await names(urls[app], `SELECT name FROM provider WHERE name LIKE '%-provider'`)).toHaveLength(
        1,
      );
    });

    it('show operators and the owner all of them', async () => {
      const url = await operatorUrl('bob');
      await runSql(url, `UPDATE provider SET enabled = false`);
      expect(await names(url, 'SELECT name FROM provider ORDER BY 1')).toHaveLength(3);
      expect(await names(main, 'SELECT name FROM provider WHERE NOT enabled')).toHaveLength(3);
    });

    it('get their policies once, so that a later grant needs no lock on the table', async () => {
      const reader = new pg.Client({ connectionString: main });
      await reader.connect();
      await reader.query('BEGIN');
      await reader.query('SELECT FROM provider');
      const impatient = { timeoutMs: 300, pauseMs: 0, maxAttempts: 1 };
      expect(await grantRoles(main, undefined, impatient)).toEqual({ granted: true });
      const url = await newDatabase(migrate);
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      await other.query('BEGIN');
      await other.query('SELECT FROM provider');
      await expect(grantRoles(url, undefined, impatient)).rejects.toMatchObject({ code: '55P03' });
      const patient = grantRoles(url, undefined, { timeoutMs: 100, pauseMs: 50, maxAttempts: 200 });
      await runSql(url, 'SELECT FROM provider');
      await other.query('COMMIT');
      expect(await patient).toEqual({ granted: true });
      await reader.end();
      await other.end();
    });
  });

  it('lose a privilege that is not listed', async () => {
    await runSql(main, `GRANT ALL ON ledger_account TO ${roleOf('callback', nameOf(main))}`);
    await runSql(urls.callback, 'SELECT balance FROM ledger_account');
    await grantRoles(main);
    await expect(runSql(urls.callback, 'SELECT balance FROM ledger_account')).rejects.toMatchObject(denied);
  });

  it('are created once by processes that migrate at the same time, and again without a change', async () => {
    const url = await newDatabase(migrate);
    const results = await Promise.all(Array.from({ length: 5 }, () => grantRoles(url)));
    expect(results).toEqual(Array.from({ length: 5 }, () => ({ granted: true })));
    const privileges = 'SELECT relname, relacl::text FROM pg_class WHERE relacl IS NOT NULL ORDER BY 1';
    const before = await runSql(url, privileges);
    expect(await grantRoles(url)).toEqual({ granted: true });
    expect(await runSql(url, privileges)).toEqual(before);
  });

  it('have no privileges in another database of the same server', async () => {
    const long = `x${'long'.repeat(15)}`;
    const url = Object.assign(new URL(main), { pathname: `/${long}` }).href;
    await runSql(main, `CREATE DATABASE ${long}`);
    await migrate(url);
    await grantRoles(url);
    const { gateway } = await createAppLogins(url, { gateway: passwords.gateway });
    await runSql(gateway, 'SELECT FROM organisation');
    const foreign = new URL(gateway);
    foreign.pathname = `/${nameOf(main)}`;
    await expect(runSql(foreign.href, 'SELECT FROM organisation')).rejects.toMatchObject(denied);
    await runSql(main, `DROP DATABASE ${long}`);
  });

  it('are created in a database of an older version, whose owner keeps its access', async () => {
    const url = await newDatabase();
    const older = (await readMigrations()).filter(({ name }) => name < '20261116');
    await migrate(url, undefined, older);
    await runSql(url, `INSERT INTO account (id, name) VALUES (gen_random_uuid(), 'Kept')`);
    await migrate(url);
    await grantRoles(url);
    const { gateway } = await createAppLogins(url, { gateway: passwords.gateway });
    expect(await names(gateway, 'SELECT name FROM account')).toEqual(['Kept']);
    expect(await names(url, 'SELECT name FROM account')).toEqual(['Kept']);
  });

  describe('if the user that migrates may not create roles', () => {
    let url: string;
    let managed: string;
    beforeAll(async () => {
      const created = new URL(await newDatabase());
      managed = nameOf(created.href);
      const migrator = `migrator_of_${managed}`;
      await runSql(main, `CREATE ROLE ${migrator} LOGIN PASSWORD '${migrator}'`);
      await runSql(main, `ALTER DATABASE ${managed} OWNER TO ${migrator}`);
      created.username = created.password = migrator;
      url = created.href;
      await migrate(url);
    });

    it('are created by an administrator with the printed SQL, and updated by the user', async () => {
      const refused = await grantRoles(url);
      expect(refused).toMatchObject({ granted: false, reason: expect.stringContaining('create role') });
      const administrator = new URL(main);
      administrator.pathname = `/${managed}`;
      await runSql(administrator.href, 'sql' in refused ? refused.sql : '');
      const { callback } = await createAppLogins(administrator.href, { callback: passwords.callback });
      await runSql(callback, 'SELECT FROM callback');
      await expect(runSql(callback, 'SELECT balance FROM ledger_account')).rejects.toMatchObject(denied);

      await runSql(url, `GRANT SELECT ON ledger_account TO ${roleOf('callback', managed)}`);
      // As the extension pg_stat_statements has.
      await runSql(
        administrator.href,
        `CREATE FUNCTION public.reset_statistics() RETURNS void LANGUAGE sql AS '';
         REVOKE EXECUTE ON FUNCTION public.reset_statistics FROM PUBLIC`,
      );
      expect(await grantRoles(url)).toEqual({ granted: true });
      await expect(runSql(callback, 'SELECT balance FROM ledger_account')).rejects.toMatchObject(denied);
    });
  });
});

describe('the login users of the apps', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase(migrate);
    await runSql(url, `ALTER DATABASE ${nameOf(url)} SET password_encryption = 'md5'`);
    await grantRoles(url);
  });

  it('get a new password if they exist', async () => {
    const { otp: first } = await createAppLogins(url, { otp: 'first:/@?#' });
    expect(await runSql(first, 'SELECT current_user::text AS name')).toEqual([
      { name: `${roleOf('otp', nameOf(url))}_login` },
    ]);
    const { otp: second } = await createAppLogins(url, { otp: 'second' });
    await runSql(second, 'SELECT FROM otp');
    await expect(runSql(first, 'SELECT FROM otp')).rejects.toThrow(/password authentication failed/);
  });

  it('are sent to the server as SCRAM verifiers, so that no password is in its log', async () => {
    await createAppLogins(url, { otp: 'secret' });
    const [stored] = await runSql<{ verifier: string }>(
      url,
      `SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = '${roleOf('otp', nameOf(url))}_login'`,
    );
    expect(stored?.verifier).toMatch(/^SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/);
  });

  it('need a password of visible ASCII characters', async () => {
    await expect(createAppLogins(url, { otp: 'two words' })).rejects.toThrow(/visible ASCII/);
  });
});
