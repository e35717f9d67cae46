import { UsageError } from '@gangan/testing';
import { attack } from './attack/attack.js';
import { Resources } from './processes/resources.js';
import { suite } from './suite/suite.js';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const resources = new Resources();
const interruption = new AbortController();
const interrupt = (): void => {
  interruption.abort();
  print('stopping');
  void resources.close().finally(() => process.exit(130));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);

const [name = '', ...others] = process.argv.slice(2);
const chosen = name === 'attack' ? attack : suite;
const args = name === 'attack' ? others : process.argv.slice(2);
try {
  if (args.includes('--help')) print([suite.usage, attack.usage].join('\n'));
  else process.exitCode = await chosen.run(args, { print, resources });
} catch (error) {
  if (!interruption.signal.aborted) reportError(error);
} finally {
  if (!interruption.signal.aborted) await resources.close();
}

function reportError(error: unknown): void {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n\n${chosen.usage}\n` : `${String(error)}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
