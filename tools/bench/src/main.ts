import type { Bench, Run } from './bench.js';
import { callbacks } from './callbacks/callbacks.js';
import { contacts } from './contacts/contacts.js';
import { UsageError } from './options/options.js';
import { otp } from './otp/otp.js';
import { sms } from './sms/sms.js';
import { transport } from './transport/transport.js';

const benches: Readonly<Record<string, Bench>> = { transport, callbacks, contacts, otp, sms };

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const runs: Run[] = [];
const interruption = new AbortController();
const interrupt = (): void => {
  interruption.abort();
  say('stopping');
  void Promise.all(runs.map((run) => run.close())).finally(() => process.exit(130));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);

const [what = '--help', ...args] = process.argv.slice(2);
const chosen = Object.hasOwn(benches, what) ? benches[what] : undefined;
try {
  if (what === '--help' || args.includes('--help')) say(helpOf(chosen));
  else if (!chosen) throw new UsageError(`There is no bench called "${what}"`);
  else
    process.exitCode = await chosen.run(args, say, (run) => {
      runs.push(run);
    });
} catch (error) {
  if (!interruption.signal.aborted) complain(error);
}

function complain(error: unknown): void {
  const usage = error instanceof UsageError;
  process.stderr.write(usage ? `${error.message}\n\n${helpOf(chosen)}\n` : `${String(error)}\n`);
  process.exitCode = usage ? 2 : 1;
}

function helpOf(one: Bench | undefined): string {
  if (one) return `pnpm bench ${what} [options]\n\n  ${one.tells}\n\n${one.options}`;
  const all = Object.entries(benches);
  return [
    'pnpm bench <what> [options]\n',
    ...all.map(([name, { tells }]) => `  ${name.padEnd(10)}  ${tells}`),
    ...all.map(([name, { options }]) => `\n  of ${name}:\n${options.trimEnd()}`),
  ].join('\n');
}
