import { setMaxListeners } from 'node:events';
import { formatHelp, readOptions, UsageError } from '@gangan/testing';
import { runCampaign } from './campaign.js';
import { chaosOptions } from './options.js';
import { faultKinds } from './plan/fault-kinds.js';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const interruption = new AbortController();
// Every intent listens to it.
setMaxListeners(0, interruption.signal);
const interrupt = (): void => {
  if (!interruption.signal.aborted) print('Interrupted: the result of this run is discarded.');
  interruption.abort();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

const help = [
  'pnpm chaos [options]\n',
  '  Starts the real system, sends mixed traffic, injects faults, and compares all that was promised with all that',
  '  happened. The exit code is 1 if a promise was broken. The same seed gives the same plan.\n',
  formatHelp(chaosOptions),
  '  faults:',
  ...Object.entries(faultKinds).map(([name, { description }]) => `  ${name.padEnd(18)}  ${description}`),
].join('\n');

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    if (!args.includes('--help'))
      return await runCampaign(readOptions(chaosOptions, args), print, interruption.signal);
    print(help);
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) return 130;
    const usage = error instanceof UsageError;
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(usage ? `${error.message}\n\n${help}\n` : `${details}\n`);
    return usage ? 2 : 1;
  }
}

// Everything is closed. Connections to killed processes may still wait for their end.
process.exit(await main(process.argv.slice(2)));
