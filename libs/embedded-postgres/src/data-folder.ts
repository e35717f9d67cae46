import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Binaries, embeddedVersion } from './binaries.js';
import { type Identity, run } from './run.js';

const role = 'gangan';
export const database = 'gangan';
const version = '18';

const initdbOptions = [
  `--username=${role}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--no-locale',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/** Tells apart clusters that were made by different programs or in a different way. */
export const clusterVersion = (): string =>
  `${embeddedVersion()}-${createHash('sha256').update(initdbOptions.join(' ')).digest('hex').slice(0, 8)}`;

/** Where the parts of an embedded server lie. */
export class DataFolder {
  readonly path: string;
  readonly cluster: string;
  readonly passwordFile: string;
  readonly settingsFile: string;
  readonly logFile: string;
  readonly pidFile: string;

  constructor(
    path: string,
    private readonly user: Identity,
    logFile?: string,
  ) {
    this.path = resolve(path);
    this.cluster = join(this.path, 'cluster');
    this.passwordFile = join(this.path, 'password');
    this.settingsFile = join(this.cluster, 'gangan.conf');
    this.logFile = resolve(logFile ?? join(this.path, 'postgres.log'));
    this.pidFile = join(this.cluster, 'postmaster.pid');
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await this.give(this.path);
    await chmod(this.path, 0o700);
  }

  get initialised(): boolean {
    return existsSync(this.cluster);
  }

  /** Made beside its place and moved there when complete, so that an interrupted start leaves nothing half done. */
  async initialise(binaries: Binaries): Promise<void> {
    const unfinished = `${this.cluster}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await writeFile(this.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await this.give(this.passwordFile);
    const places = [`--pgdata=${unfinished}`, `--pwfile=${this.passwordFile}`];
    await run(binaries.initdb, [...places, ...initdbOptions], this.user);
    await writeFile(join(unfinished, 'postgresql.conf'), "include 'gangan.conf'\n");
    await rename(unfinished, this.cluster);
  }

  /** Refuses, in words, a folder that cannot be one of ours. */
  async check(): Promise<void> {
    const found = (await readFile(join(this.cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
    if (found !== version) {
      const fault = found === '' ? 'is not a Postgres data folder' : `was made by Postgres ${found}`;
      throw new Error(`${this.cluster} ${fault}; this is Postgres ${version}. ${this.advice}`);
    }
    if (!existsSync(this.passwordFile)) {
      throw new Error(`The password of the database, ${this.passwordFile}, is missing. ${this.advice}`);
    }
  }

  get advice(): string {
    return `Put back what belongs there, or move ${this.path} away: the next start then begins with an empty database.`;
  }

  /** Of the server's database, as its owner. */
  async urlOn(port: number): Promise<string> {
    const password = (await readFile(this.passwordFile, 'utf8')).trim();
    return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  }

  /** The port of the last time, so that a restart is found where it was. */
  async lastPort(): Promise<number | undefined> {
    const settings = await readFile(this.settingsFile, 'utf8').catch(() => '');
    const port = /^port = '(\d+)'$/m.exec(settings)?.[1];
    return port === undefined ? undefined : Number(port);
  }

  async writeSettings(settings: Record<string, string>): Promise<void> {
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
    );
    await writeFile(this.settingsFile, `# Written at every start.\n${lines.join('\n')}\n`);
    await this.give(this.settingsFile);
  }

  /** A file that the server may write to; a long one makes room, and is kept for one generation. */
  async prepareLog(): Promise<void> {
    if ((await this.logSize()) > 10 * 1024 * 1024) await rename(this.logFile, `${this.logFile}.1`);
    await appendFile(this.logFile, '');
    await this.give(this.logFile);
  }

  async logSize(): Promise<number> {
    return stat(this.logFile).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Of what was written after the log had a size of `from` bytes. */
  async lastLogLines(count: number, from: number): Promise<string> {
    const log = await readFile(this.logFile).catch(() => Buffer.alloc(0));
    return log.subarray(from).toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  }

  private async give(path: string): Promise<void> {
    if (this.user.uid !== undefined && this.user.gid !== undefined)
      await chown(path, this.user.uid, this.user.gid);
  }
}
