import { clusterVersion, startEmbeddedPostgres, withClient } from '@gangan/embedded-postgres';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CleanUp } from '../clean-up.js';

const cache = fileURLToPath(new URL('../../../../node_modules/.cache/gangan/', import.meta.url));

/** Tests open thousands of connections, and with the 4,096 iterations of the default each costs three times as much. */
const scramIterations = 1;

/** Creating a cluster takes fifteen times as long as copying one, so one is created per checkout and copied. */
const template = join(
  cache,
  `postgres-${clusterVersion()}-${process.getuid?.() ?? 'user'}-scram-${scramIterations}`,
);

export async function copyTemplate(folder: string): Promise<void> {
  if (!existsSync(template)) await makeTemplate();
  // Keeps the owners: if we are root, the cluster belongs to the user `postgres`.
  await promisify(execFile)('cp', ['-Rp', `${template}/.`, folder]);
  // The file names the port of the template, and no two servers can use the same.
  await rm(join(folder, 'cluster', 'gangan.conf'), { force: true });
}

async function makeTemplate(): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${template}-unfinished-`);
  const cleanUp = new CleanUp(unfinished, [join(unfinished, 'cluster', 'postmaster.pid')]);
  try {
    const server = await startEmbeddedPostgres({ dataDir: unfinished, settings: { fsync: 'off' } });
    const { username, password } = new URL(server.url);
    await withClient(server.url, (client) =>
      client.query(
        `SET scram_iterations = ${scramIterations}; ALTER ROLE ${username} PASSWORD ${client.escapeLiteral(password)}`,
      ),
    );
    await server.stop();
    // Another process may have created it first.
    await rename(unfinished, template).catch((error: unknown) => {
      if (!existsSync(template)) throw error;
    });
  } finally {
    await cleanUp.done();
  }
}
