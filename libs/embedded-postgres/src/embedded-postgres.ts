import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { database, DataFolder } from './data-folder.js';
import { freePort, tryPort } from './ports.js';
import { CommandFailed, exists, type Identity, isAlive, run, runs } from './processes.js';
import { assertReachable, findPrograms, serverUser } from './programs.js';

export interface EmbeddedOptions {
  /** Kept between starts. One process at a time may use it: a server found running there is stopped first. */
  readonly dataDir: string;
  /** `postgres.log` in the data folder by default. */
  readonly logFile?: string;
  readonly log?: (line: string) => void;
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedServer {
  /** Of the database `gangan`, as its owner. */
  readonly url: string;
  readonly port: number;
  running(): Promise<boolean>;
  stop(): Promise<void>;
  /** As `kill -9` does. */
  kill(): Promise<void>;
  /** Stops the server if it runs, and starts it on the same port. */
  restart(): Promise<void>;
}

class PortTaken extends Error {}

/** For one developer's machine: little memory, reachable from this machine only. */
const settingsFor = (port: number, given: EmbeddedOptions['settings']): Record<string, string> => ({
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // The details of an error contain whole rows.
  log_error_verbosity: 'terse',
  ...given,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  port: String(port),
});

/** Starts a Postgres server on a data folder, which is created if missing. Returns when the server is ready. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, logFile, log = () => undefined, settings } = options;
  const programs = await findPrograms();
  const user = await serverUser();
  const folder = new DataFolder(dataDir, user, logFile);
  await folder.make();
  await assertReachable(programs.pg_ctl, user);
  await assertReachable(folder.path, user);
  if (!folder.initialised) {
    log('Creating an empty database');
    await folder.initialise(programs.initdb);
  }
  await folder.check();

  const postmaster = new Postmaster(programs.pg_ctl, folder, user);
  const running = async (): Promise<boolean> => (await findServer(folder.cluster)) !== undefined;
  if (await running()) {
    log('Stopping the Postgres that an earlier start left running');
    await postmaster.stop();
  }
  const port = await startOnFreePort(postmaster, folder, settings);
  const url = await folder.urlOn(port);
  await createDatabase(url);
  return {
    url,
    port,
    running,
    stop: () => postmaster.stop(),
    kill: () => postmaster.kill(),
    restart: async () => {
      await postmaster.stop();
      await postmaster.start();
    },
  };
}

/** The URL of the server that runs on a data folder, or `undefined`. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const folder = new DataFolder(dataDir);
  const port = await folder.lastPort();
  const isRunning = port !== undefined && (await findServer(folder.cluster)) !== undefined;
  return isRunning ? folder.urlOn(port) : undefined;
}

/** Uses the port of the previous start if it is free, otherwise a random one. */
async function startOnFreePort(
  postmaster: Postmaster,
  folder: DataFolder,
  settings: EmbeddedOptions['settings'],
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const last = await folder.lastPort();
    const port = (last && (await tryPort(last))) ?? (await freePort());
    await folder.writeSettings(settingsFor(port, settings));
    try {
      await postmaster.start();
      return port;
    } catch (error) {
      // Another program took the port after the check.
      if (!(error instanceof PortTaken) || attempt === 5) throw error;
    }
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/[^/]+$/, 'postgres') });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}

/**
 * The process id of the server that runs on this cluster. A pid file survives `kill -9`, and its number may since
 * belong to another process or to a zombie. Postgres would not start then, so such a file is removed.
 */
async function findServer(cluster: string): Promise<number | undefined> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!(pid > 0) || !exists(pid)) return undefined;
  if ((await runs(pid, cluster)) || (await runs(pid, await realpath(cluster)))) return pid;
  await rm(pidFile, { force: true });
  return undefined;
}

/** Starts and stops the server of a data folder with `pg_ctl`, which gives it a session of its own. */
class Postmaster {
  constructor(
    private readonly pgCtl: string,
    private readonly folder: DataFolder,
    private readonly user: Identity,
  ) {}

  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const from = await this.folder.prepareLog();
      try {
        await this.control('start', '-w', '-t', '60', '-l', this.folder.logFile);
        return;
      } catch (error) {
        if (!(error instanceof CommandFailed)) throw error;
        const lines = (await this.folder.lastLogLines(12, from)) || error.output;
        if (lines.includes('Address already in use')) throw new PortTaken(lines, { cause: error });
        // The children of a killed server take a moment to end.
        if (!lines.includes('pre-existing shared memory block') || attempt === 20)
          throw new Error(`Postgres did not start:\n${lines}\n${this.folder.advice}`, { cause: error });
        await sleep(250);
      }
    }
  }

  async stop(): Promise<void> {
    if ((await findServer(this.folder.cluster)) === undefined) return;
    try {
      await this.control('stop', '-m', 'fast', '-w', '-t', '30');
    } catch {
      await this.control('stop', '-m', 'immediate', '-w', '-t', '30').catch(() => this.kill());
    }
  }

  async kill(): Promise<void> {
    const pid = await findServer(this.folder.cluster);
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    const deadline = performance.now() + 10_000;
    while (isAlive(pid)) {
      await sleep(10);
      if (performance.now() > deadline)
        throw new Error(`Postgres (process ${pid}) was killed but has not ended.`);
    }
  }

  private control(...args: string[]): Promise<string> {
    return run(this.pgCtl, [...args, '-s', '-D', this.folder.cluster], this.user);
  }
}
