import { execFile } from 'node:child_process';

export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** A program's own words when it failed. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    readonly program: string,
    readonly output: string,
    cause: unknown,
  ) {
    super(`${program} failed: ${output}`, { cause });
  }
}

/** The caller's environment without what would redirect Postgres (PGDATA, PGPORT, …) or translate its messages. */
const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))),
  LC_ALL: 'C',
});

/** Runs a program to its end and gives what it printed. */
export const run = (program: string, args: readonly string[], identity: Identity = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    // Postgres refuses a working folder that its user may not enter.
    const options = { ...identity, env: environment(), cwd: '/', windowsHide: true };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new CommandFailed(program, `${stdout}${stderr}`.trim() || error.message, error));
      else resolve(stdout);
    });
  });
