import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, pendingMigrations } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { migrateQueue } from '@gangan/queue';
import { newSealingKey } from '@gangan/sealing';
import { anOrganisation, createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateCommand } from '../src/migrate-command.js';

describe('pnpm migrate', () => {
  const databases: TestDatabase[] = [];
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });
  const newDatabase = async (...preparations: ((url: string) => Promise<unknown>)[]): Promise<string> => {
    const database = await createTestDatabase(...preparations);
    databases.push(database);
    return database.url;
  };
  const nameOf = (url: string): string => new URL(url).pathname.slice(1);
  const hasQueueTables = async (url: string): Promise<boolean> =>
    (await runSql(url, `SELECT FROM pg_namespace WHERE nspname = 'bullmq'`)).length === 1;

  const run = async (flags: string[], environment: NodeJS.ProcessEnv) => {
    const said: string[] = [];
    const complained: string[] = [];
    const code = await migrateCommand(flags, environment, {
      print: (line) => said.push(line),
      printError: (line) => complained.push(line),
    });
    return { code, said, complained };
  };

  it('migrates the schema and the queue, and changes nothing the next time', async () => {
    const DATABASE_URL = await newDatabase();
    const first = await run(['--demo'], { DATABASE_URL, DATA_MASTER_KEY: newSealingKey() });
    expect(first).toMatchObject({ code: 0, complained: [] });
    expect(first.said.slice(-4)).toEqual([
      expect.stringMatching(/^\d+ applied; the schema is up to date$/),
      'The queue tables are up to date',
      'The roles of the apps are up to date',
      'The demo organisation exists; its key is sk_test_demo',
    ]);
    expect(await pendingMigrations(DATABASE_URL)).toEqual([]);
    const second = await run([], { DATABASE_URL });
    expect(second).toEqual({
      code: 0,
      said: [
        'The schema is up to date',
        'The queue tables are up to date',
        'The roles of the apps are up to date',
      ],
      complained: [],
    });
  });

  it('reports callback secrets that an earlier version stored in plain text, and leaves them to `reseal`', async () => {
    const DATABASE_URL = await newDatabase(migrate);
    const database = new Database({ url: DATABASE_URL, poolSize: 1 });
    const { id: organisationId } = await anOrganisation(database);
    const secret = { id: newId(), organisationId, secret: 'whsec_x' };
    await database.callbackSecret.create({ data: secret });
    const { code, said } = await run([], { DATABASE_URL, DATA_MASTER_KEY: newSealingKey() });
    expect([code, said.at(-1)]).toEqual([
      0,
      expect.stringMatching(/^1 callback secret.*pnpm admin secrets reseal/),
    ]);
    expect(await database.callbackSecret.findMany()).toMatchObject([secret]);
    await database.close();
  });

  it('lists the patterns of providers that this version does not run', async () => {
    const DATABASE_URL = await newDatabase(migrate);
    const database = new Database({ url: DATABASE_URL, poolSize: 1 });
    const settingsOf = {
      fine: { code: { match: '^(\\d+)' } },
      old: { reference: { match: '(?<=id=)(\\d+)' } },
    };
    for (const [name, answer] of Object.entries(settingsOf))
      await database.provider.create({
        data: {
          id: newId(),
          name,
          kind: 'http',
          domains: ['message'],
          channels: ['sms'],
          settings: { answer },
        },
      });
    const { code, said } = await run([], { DATABASE_URL });
    expect([code, said.filter((line) => line.includes('do not use'))]).toEqual([
      0,
      [
        expect.stringMatching(
          /^Workers of this version do not use the provider old: settings.answer.reference.match cannot be used: /,
        ),
      ],
    ]);
    await database.close();
  });

  it('names organisations whose quiet hours leave no time for promotional SMS beside the national ones', async () => {
    const DATABASE_URL = await newDatabase(migrate);
    const database = new Database({ url: DATABASE_URL, poolSize: 1 });
    const withHours = async (name: string, sms: object, mode: 'live' | 'test' = 'live'): Promise<void> => {
      const { id, accountId } = await anOrganisation(database, { mode });
      await database.account.update({ where: { id: accountId }, data: { name } });
      await database.organisation.update({ where: { id }, data: { settings: { sms: { ...sms } } } });
    };
    const day = { quiet_hours: '08:00-20:00 Africa/Lagos' };
    await withHours('Day', day);
    await withHours('Night', { quiet_hours: '22:00-07:00 Africa/Lagos' });
    await withHours('Exempt', { ...day, national_quiet_hours: 'ignored' });
    await withHours('Test', day, 'test');
    const { said } = await run([], { DATABASE_URL });
    expect(said.filter((line) => line.includes('never sent'))).toEqual([
      'Promotional SMS of Day/live are never sent to countries with the quiet hours 20:00-08:00 Africa/Lagos, because its own are 08:00-20:00 Africa/Lagos. Change them with `pnpm admin organisations quiet-hours`.',
    ]);
    await database.close();
  });

  it('does not seed the demo organisation without a key for its callback secret', async () => {
    const DATABASE_URL = await newDatabase();
    expect(await run(['--demo'], { DATABASE_URL })).toMatchObject({
      code: 1,
      complained: [expect.stringContaining('DATA_MASTER_KEY is not set')],
    });
    expect((await pendingMigrations(DATABASE_URL)).length).toBeGreaterThan(0);
  });

  it('does not touch the queue tables if Redis is used', async () => {
    const DATABASE_URL = await newDatabase(migrate);
    const { said } = await run([], { DATABASE_URL, REDIS_URL: 'redis://localhost' });
    expect(said).toEqual(['The schema is up to date', 'The roles of the apps are up to date']);
    expect(await hasQueueTables(DATABASE_URL)).toBe(false);
  });

  it('reads DATABASE_URL from a file, and says what is wrong with one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gangan-migrate-'));
    const DATABASE_URL_FILE = join(folder, 'url');
    const DATABASE_URL = await newDatabase(migrate);
    writeFileSync(DATABASE_URL_FILE, `${DATABASE_URL}\n`);
    expect(await run([], { DATABASE_URL_FILE })).toMatchObject({ code: 0 });
    expect(await hasQueueTables(DATABASE_URL)).toBe(true);
    expect(await run([], { DATABASE_URL, DATABASE_URL_FILE })).toEqual({
      code: 1,
      said: [],
      complained: ['DATABASE_URL_FILE and DATABASE_URL are both set: unset one.'],
    });
    rmSync(folder, { recursive: true });
  });

  it('upgrades a database whose apps used its owner: the users of the apps can use the queue', async () => {
    const DATABASE_URL = await newDatabase(migrate, migrateQueue);
    const name = nameOf(DATABASE_URL);
    // A sequence as BullMQ creates it when the first job is added.
    const jobSequence = `bullmq.bullmq_jid_${createHash('md5').update('gangan-lookup').digest('hex')}`;
    await runSql(DATABASE_URL, `CREATE SEQUENCE ${jobSequence}; DROP FUNCTION bullmq.create_job_sequence`);
    const passwords = { GATEWAY_DATABASE_PASSWORD: 'g4teway', LOOKUP_DATABASE_PASSWORD: 'l00kup' };
    const { code, said } = await run([], { DATABASE_URL, ...passwords });
    expect({ code, last: said.at(-1) }).toEqual({
      code: 0,
      last: `The login users are up to date: ${name}_gateway_login, ${name}_lookup_login`,
    });
    const gateway = new URL(DATABASE_URL);
    [gateway.username, gateway.password] = [`${name}_gateway_login`, 'g4teway'];
    const ids = await runSql(
      gateway.href,
      `SELECT bullmq.create_job_sequence('gangan-lookup'), bullmq.create_job_sequence('gangan-otp');
       SELECT bullmq.next_job_id('gangan-lookup') AS lookup, bullmq.next_job_id('gangan-otp') AS otp`,
    );
    expect(ids).toEqual([{ lookup: '1', otp: '1' }]);
    await expect(runSql(gateway.href, 'CREATE TABLE bullmq.mine ()')).rejects.toThrow(/permission denied/);
    await expect(runSql(gateway.href, `SET ROLE ${name}_lookup`)).rejects.toThrow(/permission denied/);
  });

  it('prints the SQL of the roles and goes on if the user may not create them', async () => {
    const owner = await newDatabase();
    const migrator = `migrator_of_${nameOf(owner)}`;
    await runSql(
      owner,
      `CREATE ROLE ${migrator} LOGIN PASSWORD 'migrator'; ALTER DATABASE ${nameOf(owner)} OWNER TO ${migrator}`,
    );
    const DATABASE_URL = Object.assign(new URL(owner), { username: migrator, password: 'migrator' }).href;
    const { code, said, complained } = await run([], { DATABASE_URL });
    expect({ code, complained }).toEqual({ code: 0, complained: [] });
    expect(said.at(-1)).toContain('have an administrator run this SQL');
    const sql = (said.at(-1) ?? '').split('\n\n')[1] ?? '';
    await runSql(owner, sql);
    expect((await run([], { DATABASE_URL })).said.at(-1)).toBe('The roles of the apps are up to date');
    expect(await run([], { DATABASE_URL, OTP_DATABASE_PASSWORD: 'x' })).toMatchObject({
      code: 1,
      complained: [expect.stringContaining('permission denied to create role')],
    });
  });

  it('refuses to seed the demo organisation in production, and changes nothing', async () => {
    const DATABASE_URL = await newDatabase();
    expect(await run(['--demo'], { DATABASE_URL, NODE_ENV: 'production' })).toMatchObject({
      code: 1,
      said: [],
      complained: [expect.stringContaining('never seeded with NODE_ENV=production')],
    });
    expect((await pendingMigrations(DATABASE_URL)).length).toBeGreaterThan(0);
  });

  it('says what is missing or wrong', async () => {
    expect(await run([], {})).toMatchObject({
      code: 1,
      complained: [expect.stringContaining('DATABASE_URL is not set')],
    });
    expect(await run([], { DATABASE_URL: 'postgresql://user@127.0.0.1:1/x' })).toMatchObject({
      code: 1,
      complained: [expect.stringContaining('Cannot use the database at 127.0.0.1:1/x')],
    });
    expect(await run(['--what'], {})).toMatchObject({
      code: 2,
      complained: [expect.stringContaining('pnpm migrate')],
    });
    expect(await run(['--help'], {})).toMatchObject({ code: 0, said: [expect.stringContaining('--demo')] });
  });
});
