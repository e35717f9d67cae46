import { readFile, realpath, rm } from 'node:fs/promises';
import { run } from './run.js';

async function readPid(pidFile: string): Promise<number | undefined> {
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
 * A pid file outlives `kill -9` and a power cut, and its number may since belong to a stranger. Postgres then
 * refuses to start, and stopping "it" would hit the stranger: so such a file is taken away.
 */
export async function findServer(cluster: string, pidFile: string): Promise<number | undefined> {
  const pid = await readPid(pidFile);
  if (pid === undefined || !isAlive(pid)) return undefined;
  const command = await commandOf(pid);
  const ours = command === '' || command.includes(cluster) || command.includes(await realpath(cluster));
  if (ours) return pid;
  await rm(pidFile, { force: true });
  return undefined;
}
