import { CommanderError, InvalidArgumentError } from 'commander';
import { AdminSession, type Terminal } from './session/session.js';
import { explain } from './session/explain.js';
import { readSettings } from './session/settings.js';
import { makeProgram } from './program.js';

/** Gives the exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runAdmin(
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<number> {
  const session = new AdminSession(readSettings(environment), terminal);
  try {
    const program = await makeProgram(session, given);
    await program.parseAsync(given, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has said its own; what a command itself did not understand is still unsaid.
    if (error instanceof InvalidArgumentError) terminal.err.write(`error: ${error.message}\n`);
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const stack = session.verbose && error instanceof Error ? `\n${error.stack ?? ''}` : '';
    terminal.err.write(`${explain(error)}${stack}\n`);
    return 1;
  } finally {
    await session.close();
  }
}
