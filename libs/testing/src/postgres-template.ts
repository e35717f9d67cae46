import { clusterVersion, startEmbeddedPostgres } from '@gangan/embedded-postgres';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CleanUp } from './clean-up.js';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/gangan/', import.meta.url));

/**
 * Making a cluster takes fifteen times as long as copying one; so one is made per checkout, and kept until clusters
 * are made differently.
 */
const template = join(cache, `postgres-${clusterVersion()}-${process.getuid?.() ?? 'user'}`);

/** Fills a data folder of an embedded server. */
export async function copyTemplate(folder: string): Promise<void> {
  if (!existsSync(template)) await makeTemplate();
  // Owners are kept: under root the cluster belongs to the server's user.
  await promisify(execFile)('cp', ['-Rp', `${template}/.`, folder]);
  // It names the template's port, which all its copies would want, and take from each other at a restart.
  await rm(join(folder, 'cluster', 'gangan.conf'), { force: true });
}

async function makeTemplate(): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${template}-unfinished-`);
  const cleanUp = new CleanUp(unfinished, [join(unfinished, 'cluster', 'postmaster.pid')]);
  try {
    const server = await startEmbeddedPostgres({ dataDir: unfinished, settings: { fsync: 'off' } });
    await server.stop();
    // When another process was faster, its template serves as well.
    await rename(unfinished, template).catch((error: unknown) => {
      if (!existsSync(template)) throw error;
    });
  } finally {
    await cleanUp.done();
  }
}
