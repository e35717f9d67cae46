import { platform } from 'node:os';
import { type Identity, run } from './run.js';

const name = 'postgres';

/** Whom the server runs as: ourselves, or a user of its own when we are root (Postgres refuses to run as root). */
export async function serverUser(): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  try {
    return await lookUp();
  } catch {
    return await create();
  }
}

async function lookUp(): Promise<Identity> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  return { uid: Number(uid), gid: Number(gid) };
}

async function create(): Promise<Identity> {
  try {
    // Another start may create them at the same moment: what counts is that they exist afterwards.
    await run('groupadd', ['--system', name]).catch(() => undefined);
    await run('useradd', ['--system', '--gid', name, '--no-create-home', name]).catch(() => undefined);
    return await lookUp();
  } catch (cause) {
    throw new Error(
      `Postgres does not run as root, and the user \`${name}\` it would run as could not be created. ` +
        'Start as another user, or set DATABASE_URL to a Postgres server of your own.',
      { cause },
    );
  }
}

/** Refuses, in words, when the server's user cannot reach the programs or the folder it is to work with. */
export async function assertReachable(path: string, user: Identity): Promise<void> {
  if (user.uid === undefined || platform() === 'win32') return;
  try {
    await run('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], user);
  } catch (cause) {
    throw new Error(
      `Postgres does not run as root but as the user \`${name}\`, who may not enter ${path}. ` +
        'Move the project to a folder that everyone may enter (such as /srv), allow it (`chmod o+x` on each ' +
        'folder above), start as another user than root, or set DATABASE_URL to a Postgres server of your own.',
      { cause },
    );
  }
}
