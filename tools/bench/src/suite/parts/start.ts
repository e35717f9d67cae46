import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CleanUp, freePort } from '@gangan/testing';
import { projectFile } from '../../scripts.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';

const script = fileURLToPath(projectFile('tools/start/start.mjs'));
const timeoutMs = 120_000;

/** `pnpm start` with a data folder of its own. */
class StartRun {
  private child?: ChildProcess;

  private constructor(
    private readonly folder: string,
    private readonly cleanUp: CleanUp,
  ) {}

  static async open(): Promise<StartRun> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-start-'));
    // Under root, Postgres runs as another user, who needs access.
    await chmod(folder, 0o755);
    return new StartRun(folder, new CleanUp(folder, [join(folder, 'cluster', 'postmaster.pid')]));
  }

  /** The seconds from the command until the system is ready. */
  async start(): Promise<number> {
    const started = performance.now();
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, GANGAN_DATA_DIR: this.folder, PORT: String(await freePort()) };
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    let printed = '';
    const ready = new Promise<boolean>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          printed += chunk;
          if (printed.includes('is ready')) resolve(true);
        });
      child.once('exit', () => {
        resolve(false);
      });
      setTimeout(resolve, timeoutMs, false).unref();
    });
    const isReady = await ready;
    const seconds = (performance.now() - started) / 1_000;
    await this.stop();
    if (!isReady) throw new Error(`pnpm start did not become ready: ${printed}`);
    return seconds;
  }

  /** Can be called twice. */
  async close(): Promise<void> {
    await this.stop();
    await this.cleanUp.done();
  }

  private async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

/** The first start, which creates the database, is the warm-up. */
const startGroup: Group<StartRun> = {
  title: 'start',
  open: async ({ track }, work) => {
    const run = await StartRun.open();
    track(run);
    try {
      return await work(run);
    } finally {
      await run.close();
    }
  },
};

const warmStart: Point<StartRun> = {
  title: 'pnpm start',
  measure: async (run) => ({ seconds: await run.start() }),
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
