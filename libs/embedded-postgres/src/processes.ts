import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The user that a program runs as; ours if empty. */
export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs a program to its end and returns its standard output. If it fails, the error contains its output. */
export const run = (program: string, args: readonly string[], identity: Identity = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    // PGDATA, PGPORT … would redirect Postgres. It also refuses a working folder that its user may not enter.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
    const env = { ...Object.fromEntries(inherited), LC_ALL: 'C' };
    execFile(program, args, { ...identity, env, cwd: '/', windowsHide: true }, (cause, stdout, stderr) => {
      if (!cause) resolve(stdout);
      else reject(new Error(`${program} failed: ${`${stdout}${stderr}`.trim() || cause.message}`, { cause }));
    });
  });

export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process runs. A zombie has ended, but its parent may never read its exit code. */
export const isAlive = (pid: number): boolean =>
  exists(pid) && !/^\d+ \([^]*\) Z/.test(orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8')));

/** Whether the process is alive and `part` occurs in its command line, or its command line cannot be read. */
export function runs(pid: number, part: string): boolean {
  if (!isAlive(pid)) return false;
  const command =
    orEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')) ||
    orEmpty(() => execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }));
  return command === '' || command.includes(part);
}

/** Empty except on Linux: other systems do not tell. */
export const childrenOf = (pid: number): number[] =>
  orEmpty(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);

export function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
