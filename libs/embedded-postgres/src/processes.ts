import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The user that a program runs as; ours if empty. */
export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    program: string,
    readonly output: string,
    cause: unknown,
  ) {
    super(`${program} failed: ${output}`, { cause });
  }
}

/** Runs a program to its end and returns its standard output. */
export const run = (program: string, args: readonly string[], identity: Identity = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    // PGDATA, PGPORT … would redirect Postgres. It also refuses a working folder that its user may not enter.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
    const env = { ...Object.fromEntries(inherited), LC_ALL: 'C' };
    execFile(program, args, { ...identity, env, cwd: '/', windowsHide: true }, (error, stdout, stderr) => {
      if (error) reject(new CommandFailed(program, `${stdout}${stderr}`.trim() || error.message, error));
      else resolve(stdout);
    });
  });

export const isAlive = (pid: number): boolean => exists(pid) && !isZombie(pid);

export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A zombie has ended, but its parent has not read its exit code. In a container it may stay for ever. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \([^]*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Whether the process is alive and `part` occurs in its command line, or its command line cannot be read. */
export async function runs(pid: number, part: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    .then((words) => words.replaceAll('\0', ' '))
    .catch(() => run('ps', ['-p', String(pid), '-o', 'command=']))
    .catch(() => '');
  return command === '' || command.includes(part);
}
