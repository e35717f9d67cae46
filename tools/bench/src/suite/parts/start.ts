import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanUp, freePort } from '@gangan/testing';
import { projectFile } from '../../scripts.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';

/** Starts the system, and returns the seconds until it was ready. */
type Start = () => Promise<number>;

/** `pnpm start` with a data folder of its own. The first start, which creates the database, is the warm-up. */
const startGroup: Group<Start> = {
  title: 'start',
  open: async (resources) => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-start-'));
    // Under root, Postgres runs as another user, who needs access.
    await chmod(folder, 0o755);
    const cleanUp = new CleanUp(folder, [join(folder, 'postgres', 'cluster', 'postmaster.pid')]);
    resources.atEnd(() => cleanUp.done());
    return async () => {
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, GANGAN_DATA_DIR: folder, PORT: String(await freePort()) };
      const started = performance.now();
      const script = projectFile('tools/start/start.mjs');
      const system = await resources.fork(script, { env, quiet: true, stopSignal: 'SIGTERM' });
      const seconds = (performance.now() - started) / 1_000;
      await system.stop();
      return seconds;
    };
  },
};

const warmStart: Point<Start> = {
  title: 'pnpm start',
  measure: async (start) => ({ seconds: await start() }),
};

export const start = part(startGroup, [
  {
    name: 'start',
    title: 'warm pnpm start until ready',
    figure: 'seconds',
    unit: 's',
    of: warmStart,
    bar: atMost(9),
    limit: 'seven processes start on the same cores',
  },
]);
