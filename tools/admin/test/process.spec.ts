import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newSealingKey } from '@gangan/sealing';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The built command line as operators run it, beside a Postgres as `pnpm start` runs it. */
describe('pnpm admin as a process', () => {
  let dataDir: string;
  let server: TestPostgres;
  let database: Database;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gangan-admin-'));
    server = await startPostgres();
    await migrate(server.url);
    database = new Database({ url: server.url, poolSize: 1 });
    const [setting] = await database.query<{ cluster: string }>(sql`
      SELECT setting AS cluster FROM pg_settings WHERE name = 'data_directory'`);
    await symlink(dirname(setting?.cluster ?? ''), join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'data-master.key'), `${newSealingKey()}\n`);
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const run = async (given: string[]) => {
    const child = spawn(process.execPath, [script, ...given], {
      env: { PATH: process.env['PATH'], GANGAN_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out, err };
  };

  it('finds the database, creates an organisation and a key, and never shows the key again', async () => {
    expect(await run(['organisations', 'create', 'Acme', '--json'])).toMatchObject({ code: 0 });
    const issued = await run([
      'keys',
      'issue',
      'acme/live',
      '--name',
      'Production',
      '--scopes',
      'all',
      '--json',
    ]);
    const { id, key } = JSON.parse(issued.out) as { id: string; key: string };
    expect(issued.err).not.toContain(key);
    const [row] = await database.query<{ hash: Buffer }>(sql`SELECT hash FROM api_key WHERE id = ${id}`);
    expect(row?.hash).toEqual(createHash('sha256').update(key).digest());
    const later = [
      await run(['keys', 'list', 'acme/live']),
      await run(['keys', 'revoke', id]),
      await run(['keys', 'revoke', id, '--yes', '--verbose']),
    ];
    expect(later.map(({ code }) => code)).toEqual([0, 1, 0]);
    expect(JSON.stringify(later)).not.toContain(key.slice(16));
  });

  it('ends without an error when its output pipe is closed', async () => {
    const child = spawn(process.execPath, [script, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
