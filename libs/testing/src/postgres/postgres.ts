import { type EmbeddedServer, startEmbeddedPostgres, withClient } from '@gangan/embedded-postgres';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanUp } from '../clean-up.js';
import { uniqueName } from '../unique.js';
import { copyTemplate } from './postgres-template.js';

/** A server with the empty database `gangan`, which `url` names. `stop` also removes its folder. */
export interface TestPostgres extends Pick<EmbeddedServer, 'url' | 'port' | 'restart' | 'kill' | 'stop'> {
  /** Creates another empty database on the same server and returns its URL. */
  createDatabase(name?: string): Promise<string>;
}

/** Fast: a crash of the machine may lose data, a crash of Postgres does not. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
};

/** @param parent where its data folder is created */
export async function startPostgres(
  extra: Record<string, string> = {},
  parent = tmpdir(),
): Promise<TestPostgres> {
  const folder = await mkdtemp(join(parent, 'gangan-postgres-'));
  const cleanUp = new CleanUp(folder, [join(folder, 'cluster', 'postmaster.pid')]);
  try {
    await copyTemplate(folder);
    const server = await startEmbeddedPostgres({ dataDir: folder, settings: { ...settings, ...extra } });
    return {
      url: server.url,
      port: server.port,
      createDatabase: (name) => createDatabase(server.url, name),
      restart: () => server.restart(),
      kill: () => server.kill(),
      stop: async () => {
        await server.stop();
        await cleanUp.done();
      },
    };
  } catch (error) {
    await cleanUp.done();
    throw error;
  }
}

async function createDatabase(url: string, name = `test_${uniqueName()}`): Promise<string> {
  await withClient(url, (client) => client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`));
  const created = new URL(url);
  created.pathname = `/${encodeURIComponent(name)}`;
  return created.href;
}
