import { CommanderError, InvalidArgumentError } from 'commander';
import { Desk, type Terminal } from './desk/desk.js';
import { explain } from './desk/explain.js';
import { readSettings } from './desk/settings.js';
import { makeProgram } from './program.js';

/** Gives the exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runAdmin(
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<number> {
  const desk = new Desk(readSettings(environment), terminal);
  try {
    const program = await makeProgram(desk, given);
    await program.parseAsync(given, { from: 'user' });
    return desk.exitCode;
  } catch (error) {
    // Commander has said its own; what a command itself did not understand is still unsaid.
    if (error instanceof InvalidArgumentError) terminal.err.write(`error: ${error.message}\n`);
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const stack = desk.verbose && error instanceof Error ? `\n${error.stack ?? ''}` : '';
    terminal.err.write(`${explain(error)}${stack}\n`);
    return 1;
  } finally {
    await desk.close();
  }
}
