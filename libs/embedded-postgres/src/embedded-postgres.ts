import pg from 'pg';
import { findBinaries } from './binaries.js';
import { DataFolder, database } from './data-folder.js';
import { freePort, tryPort } from './free-port.js';
import { PortTaken, Postmaster } from './postmaster.js';
import { assertReachable, serverUser } from './server-user.js';
import { serverSettings } from './settings.js';

export interface EmbeddedOptions {
  /** Kept between starts. One process at a time may use it: a server found running there is stopped first. */
  readonly dataDir: string;
  /** Without it: the port of the last time if that is free, else any free one. */
  readonly port?: number;
  /** `postgres.log` in the data folder unless given. */
  readonly logFile?: string;
  readonly log?: (line: string) => void;
  /** Settings of `postgresql.conf`. */
  readonly settings?: Record<string, string>;
}

export interface EmbeddedServer {
  /** Of the database `gangan`, as its owner. */
  readonly url: string;
  readonly port: number;
  running(): Promise<boolean>;
  stop(): Promise<void>;
  /** As `kill -9` does it. */
  kill(): Promise<void>;
  /** Stops it if it runs, and starts it on the same port. */
  restart(): Promise<void>;
}

/** Starts a Postgres server of our own on a data folder, made when it is missing; returns when it is ready. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const log = options.log ?? (() => undefined);
  const binaries = findBinaries();
  const user = await serverUser();
  const folder = new DataFolder(options.dataDir, user, options.logFile);
  await folder.make();
  await assertReachable(binaries.pgCtl, user);
  await assertReachable(folder.path, user);
  if (!folder.initialised) {
    log('Creating an empty database');
    await folder.initialise(binaries);
  }
  await folder.check();

  const postmaster = new Postmaster(binaries.pgCtl, folder, user);
  if ((await postmaster.find()) !== undefined) {
    log('Stopping the Postgres that an earlier start left running');
    await postmaster.stop();
  }
  const port = await startOnPort(postmaster, folder, options);
  const url = await folder.urlOn(port);
  await createDatabase(url);

  return {
    url,
    port,
    running: async () => (await postmaster.find()) !== undefined,
    stop: () => postmaster.stop(),
    kill: () => postmaster.kill(),
    restart: async () => {
      await postmaster.stop();
      await postmaster.start();
    },
  };
}

async function startOnPort(
  postmaster: Postmaster,
  folder: DataFolder,
  options: EmbeddedOptions,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const last = await folder.lastPort();
    const port = options.port ?? (last && (await tryPort(last))) ?? (await freePort());
    await folder.writeSettings(serverSettings(port, options.settings));
    try {
      await postmaster.start();
      return port;
    } catch (error) {
      // Somebody took it between our look and the server's.
      if (!(error instanceof PortTaken) || options.port !== undefined || attempt === 5) throw error;
    }
  }
}

async function createDatabase(url: string): Promise<void> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}
