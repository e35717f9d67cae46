import { readEnvironment, readSettings, StartError } from './settings.js';
import { System } from './system.js';

// A closed terminal must not prevent the stop of what was started.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// Logs, keys and data are for this user alone, whichever process writes them.
process.umask(0o077);

try {
  const say = (line: string): unknown => process.stdout.write(`  ${line}\n`);
  const environment = readEnvironment(process.env);
  await new System(readSettings(environment, process.argv.slice(2)), environment, say).run();
  process.exit(0);
} catch (error) {
  const { message, stack } = error as Error;
  process.stderr.write(`\n  ${error instanceof StartError ? message : (stack ?? message)}\n\n`);
  process.exit(1);
}
