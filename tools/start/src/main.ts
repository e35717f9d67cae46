import { readSettings } from './settings.js';
import { StartError } from './start-error.js';
import { System } from './system.js';

// A closed terminal must not keep us from stopping what we have started.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const say = (line: string): void => {
  process.stdout.write(`  ${line}\n`);
};

try {
  await new System(readSettings(process.env), process.env, say).run();
  process.exit(0);
} catch (error) {
  // Only what nobody foresaw is worth a stack.
  const words = error instanceof Error && !(error instanceof StartError) ? error.stack : undefined;
  process.stderr.write(`\n  ${words ?? (error as Error).message}\n\n`);
  process.exit(1);
}
