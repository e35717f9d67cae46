import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { appendFile, chmod, cp, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedServer, startEmbeddedPostgres } from '../src/index.js';

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

describe('the embedded server', () => {
  let dataDir: string;
  let server: EmbeddedServer | undefined;
  const start = async (settings: Record<string, string> = {}): Promise<EmbeddedServer> => {
    server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off', ...settings } });
    return server;
  };

  beforeAll(async () => {
    const parent = await mkdtemp(join(tmpdir(), 'gangan-embedded-'));
    await chmod(parent, 0o711);
    dataDir = join(parent, 'postgres');
  });
  afterEach(async () => {
    await server?.stop();
  });
  afterAll(async () => {
    await rm(join(dataDir, '..'), { recursive: true, force: true });
  });

  it('starts on an empty folder, in UTF-8, with its password kept private', async () => {
    const { url } = await start({ max_connections: '37' });
    await query(url, 'CREATE TABLE kept (word text)');
    await query(url, `INSERT INTO kept VALUES ('gángan')`);
    expect(await query(url, `SELECT current_setting('max_connections') AS most`)).toEqual([{ most: '37' }]);
    expect(await query(url, 'SELECT upper(word) AS word FROM kept')).toEqual([{ word: 'GÁNGAN' }]);
    expect(await query(url, 'SHOW server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    expect(await server?.running()).toBe(true);
  });

  it('starts again with its data on the same port', async () => {
    const { port } = await start();
    await server?.stop();
    expect(await server?.running()).toBe(false);
    const again = await start();
    expect(again.port).toBe(port);
    expect(await query(again.url, 'SELECT word FROM kept')).toEqual([{ word: 'gángan' }]);
  });

  it('uses another port if the last one is taken', async () => {
    const { port } = await start();
    await server?.stop();
    const squatter = await new Promise<Server>((resolve) => {
      const listening = createServer().listen(port, '127.0.0.1', () => {
        resolve(listening);
      });
    });
    const again = await start();
    squatter.close();
    expect(again.port).not.toBe(port);
    expect(await query(again.url, 'SELECT word FROM kept')).toHaveLength(1);
  });

  it('ignores the output of an earlier start', async () => {
    await start();
    await server?.stop();
    await appendFile(join(dataDir, 'postgres.log'), 'could not bind: Address already in use\n');
    await expect(start({ shared_buffers: 'much' })).rejects.toThrow(/did not start[^]*shared_buffers/);
  });

  it('starts again on the same port after kill -9', async () => {
    const killed = await start();
    await killed.kill();
    expect(await killed.running()).toBe(false);
    await killed.restart();
    expect(await query(killed.url, 'SELECT word FROM kept')).toHaveLength(1);
  });

  it('replaces a server that an earlier start left running', async () => {
    const orphan = await start();
    const before = await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8');
    const again = await start();
    const after = await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8');
    expect(after.split('\n')[0]).not.toBe(before.split('\n')[0]);
    expect(again.url).toBe(orphan.url);
  });

  it('ignores a pid file whose number belongs to another process', async () => {
    const killed = await start();
    const pidFile = join(dataDir, 'cluster', 'postmaster.pid');
    const stale = await readFile(pidFile, 'utf8');
    await killed.kill();
    const stranger = spawn('sleep', ['60']);
    await writeFile(pidFile, stale.replace(/^\d+/, String(stranger.pid)));
    const again = await start();
    expect(await query(again.url, 'SELECT word FROM kept')).toHaveLength(1);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });

  it('starts over if its first start was interrupted', async () => {
    const cutShort = join(dataDir, '..', 'cut-short');
    await cp(dataDir, cutShort, { recursive: true });
    await rename(join(cutShort, 'cluster'), join(cutShort, 'cluster.unfinished'));
    const second = await startEmbeddedPostgres({ dataDir: cutShort, settings: { fsync: 'off' } });
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  it('says what to do if the folder is damaged, not its own or without its password', async () => {
    const version = join(dataDir, 'cluster', 'PG_VERSION');
    await writeFile(version, '9.6\n');
    await expect(start()).rejects.toThrow(/was made by Postgres 9\.6.*move .* away/);
    await rm(version);
    await expect(start()).rejects.toThrow(/not a Postgres data folder.*move .* away/);
    await writeFile(version, '18\n');
    const password = await readFile(join(dataDir, 'password'), 'utf8');
    await rm(join(dataDir, 'password'));
    await expect(start()).rejects.toThrow(/password.*missing.*move .* away/);
    await writeFile(join(dataDir, 'password'), password, { mode: 0o600 });
    await rm(join(dataDir, 'cluster', 'global', 'pg_control'));
    await expect(start()).rejects.toThrow(/did not start[^]*pg_control[^]*move .* away/);
  });
});
