import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pendingMigrations } from '@gangan/database';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateCommand } from '../src/migrate-command.js';

describe('pnpm migrate', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

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
    const DATABASE_URL = await postgres.createDatabase();
    const first = await run(['--demo'], { DATABASE_URL });
    expect(first).toMatchObject({ code: 0, complained: [] });
    expect(first.said.slice(-3)).toEqual([
      expect.stringMatching(/^\d+ applied; the schema is up to date$/),
      'The queue tables are up to date',
      'The demo organisation exists; its key is sk_test_demo',
    ]);
    expect(await pendingMigrations(DATABASE_URL)).toEqual([]);
    const second = await run([], { DATABASE_URL });
    expect(second).toEqual({
      code: 0,
      said: ['The schema is up to date', 'The queue tables are up to date'],
      complained: [],
    });
  });

  it('does not touch the queue tables if Redis is used', async () => {
    const DATABASE_URL = await postgres.createDatabase();
    const { said } = await run([], { DATABASE_URL, REDIS_URL: 'redis://localhost' });
    expect(said.at(-1)).toMatch(/the schema is up to date$/);
  });

  it('reads DATABASE_URL from a file, and says what is wrong with one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gangan-migrate-'));
    const DATABASE_URL_FILE = join(folder, 'url');
    const DATABASE_URL = await postgres.createDatabase();
    writeFileSync(DATABASE_URL_FILE, `${DATABASE_URL}\n`);
    expect(await run([], { DATABASE_URL_FILE })).toMatchObject({ code: 0 });
    expect(await pendingMigrations(DATABASE_URL)).toEqual([]);
    expect(await run([], { DATABASE_URL, DATABASE_URL_FILE })).toEqual({
      code: 1,
      said: [],
      complained: ['DATABASE_URL_FILE and DATABASE_URL are both set: unset one.'],
    });
    rmSync(folder, { recursive: true });
  });

  it('refuses to seed the demo organisation in production, and changes nothing', async () => {
    const DATABASE_URL = await postgres.createDatabase();
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
