import { readFileSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { run } from './run.js';

async function readPid(pidFile: string): Promise<number | undefined> {
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

export const isAlive = (pid: number): boolean => exists(pid) && !isZombie(pid);

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Ended, but kept in the table for a parent that has not asked how: in a container that may be for ever. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \([^]*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The command line of a process; empty when it cannot be told. */
export async function commandOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    return run('ps', ['-p', String(pid), '-o', 'command=']).catch(() => '');
  }
}

/**
 * The process id of the server that runs on this cluster, if any.
 *
 * A pid file outlives `kill -9` and a power cut, and its number may since belong to a stranger, or still to the dead.
 * Postgres then refuses to start, and stopping "it" would hit the stranger: so such a file is taken away.
 */
export async function findServer(cluster: string, pidFile: string): Promise<number | undefined> {
  const pid = await readPid(pidFile);
  if (pid === undefined || !exists(pid)) return undefined;
  if (!isZombie(pid) && (await serves(pid, cluster))) return pid;
  await rm(pidFile, { force: true });
  return undefined;
}

async function serves(pid: number, cluster: string): Promise<boolean> {
  const command = await commandOf(pid);
  return command === '' || command.includes(cluster) || command.includes(await realpath(cluster));
}
