import { execFileSync } from 'node:child_process';
import { UsageError } from './options.js';

export type Print = (line: string) => void;

export interface Tool {
  /** Printed after `--help`, and if the arguments are invalid. */
  readonly help: string;
  /** @returns the exit code */
  run(args: readonly string[], print: Print, interrupted: AbortSignal): Promise<number>;
}

/** Runs a tool and ends the process: with 2 if its arguments are invalid, with 130 after an interrupt. */
export async function runTool(tool: Tool, args: readonly string[]): Promise<never> {
  const print: Print = (line) => {
    process.stdout.write(`${line}\n`);
  };
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      interruption.abort();
    });
  try {
    if (args.includes('--help')) print(tool.help);
    else process.exitCode = await tool.run(args, print, interruption.signal);
  } catch (error) {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
    if (!interruption.signal.aborted)
      process.stderr.write(
        error instanceof UsageError ? `${error.message}\n\n${tool.help}\n` : `${details}\n`,
      );
  }
  // Everything is closed. Connections to processes that were killed may still wait for their end.
  process.exit(interruption.signal.aborted ? 130 : process.exitCode);
}

/** The commit of the working tree; it ends with `-dirty` if files have changed since. */
export function currentCommit(): string {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
