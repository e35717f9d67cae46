import { CommanderError, InvalidArgumentError } from 'commander';
import { makeProgram } from './program.js';
import { describeFailure } from './session/errors.js';
import { AdminSession, type DatabaseSource, type Terminal } from './session/session.js';
import { readSettings } from './session/stores.js';

/** Returns the exit code: 0 success, 1 refused or failed, 2 usage error. */
export async function runAdmin(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
  databases?: DatabaseSource,
): Promise<number> {
  let session: AdminSession | undefined;
  try {
    session = new AdminSession(readSettings(environment), terminal, databases);
    const program = await makeProgram(session, args);
    await program.parseAsync(args, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander prints its own errors, but not those that an action throws.
    if (error instanceof InvalidArgumentError) terminal.err.write(`error: ${error.message}\n`);
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const stack = session?.verbose && error instanceof Error ? `\n${error.stack ?? ''}` : '';
    terminal.err.write(`${describeFailure(error)}${stack}\n`);
    return 1;
  } finally {
    await session?.close();
  }
}
