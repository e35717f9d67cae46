import { existsSync } from 'node:fs';
import { appendFile, readFile, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { database, DataFolder } from './data-folder.js';
import { lastLogLines, rotateLog } from './logs.js';
import { freePort, tryPort } from './ports.js';
import { childrenOf, exists, type Identity, isAlive, killIfAlive, run, runs } from './processes.js';
import { assertReachable, findPrograms, serverUser } from './programs.js';

interface EmbeddedOptions {
  /** Kept between starts. One process at a time may use it: a server found running there is stopped first. */
  readonly dataDir: string;
  /** `postgres.log` in the data folder by default. */
  readonly logFile?: string;
  readonly log?: (line: string) => void;
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export type EmbeddedServer = Pick<Server, 'url' | 'port' | 'running' | 'stop' | 'kill' | 'restart'>;

/** For one developer's machine: little memory, reachable from this machine only. */
const defaultSettings = {
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
};
const fixedSettings = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** Starts a Postgres server on a data folder, which is created if missing. Returns when the server is ready. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, logFile = join(dataDir, 'postgres.log'), log = () => undefined, settings = {} } = options;
  const programs = await findPrograms();
  const user = await serverUser();
  const folder = new DataFolder(dataDir, user);
  await folder.make();
  await assertReachable(programs.pg_ctl, user);
  await assertReachable(folder.path, user);
  if (!existsSync(folder.cluster)) {
    log('Creating an empty database');
    await folder.initialise(programs.initdb);
  }
  await folder.check();
  const server = new Server(programs.pg_ctl, folder, resolve(logFile), user);
  if (await server.running()) {
    log('Stopping the Postgres that an earlier start left running');
    await server.stop();
  }
  await server.start({ ...defaultSettings, ...settings, ...fixedSettings });
  await withClient(server.url.replace(/(?<=\/)[^/]+$/, 'postgres'), async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  });
  return server;
}

/** The URL of the server that runs on a data folder, or `undefined`. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const folder = new DataFolder(dataDir);
  const port = await folder.lastPort();
  return port && (await findServer(folder.cluster)) ? folder.urlOn(port) : undefined;
}

/** Runs `work` with a connection of its own. */
export async function withClient<T>(
  config: string | pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
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
  if (runs(pid, cluster) || runs(pid, await realpath(cluster))) return pid;
  await rm(pidFile, { force: true });
  return undefined;
}

/** The server of a data folder. `pg_ctl` gives it a session of its own. */
class Server {
  port = 0;
  /** The URL of the database `gangan`, as its owner. */
  url = '';

  constructor(
    private readonly pgCtl: string,
    private readonly folder: DataFolder,
    private readonly logFile: string,
    private readonly user: Identity,
  ) {}

  async running(): Promise<boolean> {
    return (await findServer(this.folder.cluster)) !== undefined;
  }

  /** With `settings` it chooses a free port, and another one if that is taken meanwhile; without, it keeps its port. */
  async start(settings?: Readonly<Record<string, string>>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      if (settings) await this.configure(settings);
      const from = rotateLog(this.logFile);
      await appendFile(this.logFile, '');
      await this.folder.changeOwner(this.logFile);
      try {
        await this.control('start', '-w', '-t', '60', '-l', this.logFile);
        return;
      } catch (cause) {
        const lines = lastLogLines(this.logFile, from, 12).join('\n') || (cause as Error).message;
        const portTaken = lines.includes('Address already in use');
        // The children of a killed server take a moment to end.
        const passing = portTaken ? settings : lines.includes('pre-existing shared memory block');
        if (!passing || attempt === 20) {
          const advice = portTaken ? '' : `\n${this.folder.advice}`;
          throw new Error(`Postgres did not start:\n${lines}${advice}`, { cause });
        }
        await sleep(250);
      }
    }
  }

  /** Stops the server if it runs, and starts it on the same port. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    if (!(await this.running())) return;
    const stop = (mode: string): Promise<string> => this.control('stop', '-m', mode, '-w', '-t', '30');
    await stop('fast')
      .catch(() => stop('immediate'))
      .catch(() => this.kill());
  }

  /** Kills all its processes at once, so that none commits what it has begun. */
  async kill(): Promise<void> {
    const pid = await findServer(this.folder.cluster);
    if (pid === undefined) return;
    const children = childrenOf(pid);
    // Killed first, so that it starts no others.
    process.kill(pid, 'SIGKILL');
    for (const child of children) killIfAlive(child);
    const deadline = performance.now() + 10_000;
    while (isAlive(pid)) {
      await sleep(10);
      if (performance.now() > deadline)
        throw new Error(`Postgres (process ${pid}) was killed but has not ended.`);
    }
  }

  /** Chooses the port of the previous start if it is free, otherwise a random one. */
  private async configure(settings: Readonly<Record<string, string>>): Promise<void> {
    const last = await this.folder.lastPort();
    this.port = (last && (await tryPort(last))) ?? (await freePort());
    this.url = await this.folder.urlOn(this.port);
    await this.folder.writeSettings({ ...settings, port: String(this.port) });
  }

  private control(...args: string[]): Promise<string> {
    return run(this.pgCtl, [...args, '-s', '-D', this.folder.cluster], this.user);
  }
}
