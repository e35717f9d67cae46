import { UsageError } from '@gangan/testing';
import { attack } from './attack/attack.js';
import type { Bench, Run } from './bench.js';
import { callbacks } from './callbacks/callbacks.js';
import { contacts } from './contacts/contacts.js';
import { otp } from './otp/otp.js';
import { sms } from './sms/sms.js';
import { suite } from './suite/suite.js';
import { transport } from './transport/transport.js';

const benches: Readonly<Record<string, Bench>> = { transport, attack, callbacks, contacts, otp, sms };

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const runs: Run[] = [];
const interruption = new AbortController();
const interrupt = (): void => {
  interruption.abort();
  print('stopping');
  void Promise.all(runs.map((run) => run.close())).finally(() => process.exit(130));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);

const given = process.argv.slice(2);
/** Without a name, the suite runs. */
const [what, args] = given[0]?.startsWith('--') === false ? [given[0], given.slice(1)] : ['', given];
const chosen = what === '' ? suite : Object.hasOwn(benches, what) ? benches[what] : undefined;
try {
  if (args.includes('--help')) print(formatHelp(what === '' ? undefined : chosen));
  else if (!chosen) throw new UsageError(`Unknown bench "${what}"`);
  else
    process.exitCode = await chosen.run(args, print, (run) => {
      runs.push(run);
    });
} catch (error) {
  if (!interruption.signal.aborted) reportError(error);
}

function reportError(error: unknown): void {
  const usage = error instanceof UsageError;
  process.stderr.write(usage ? `${error.message}\n\n${formatHelp(chosen)}\n` : `${String(error)}\n`);
  process.exitCode = usage ? 2 : 1;
}

function formatHelp(one: Bench | undefined): string {
  if (one) return `pnpm bench ${what} [options]\n\n  ${one.description}\n\n${one.options}`;
  const all = Object.entries(benches);
  return [
    `pnpm bench [options]\n\n  ${suite.description}\n\n${suite.options}`,
    'pnpm bench <name> [options]\n',
    ...all.map(([name, { description }]) => `  ${name.padEnd(10)}  ${description}`),
    ...all.map(([name, { options }]) => `\n  options of ${name}:\n${options.trimEnd()}`),
  ].join('\n');
}
