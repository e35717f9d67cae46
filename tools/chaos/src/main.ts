import { setMaxListeners } from 'node:events';
import { formatHelp, readOptions, runTool } from '@gangan/testing';
import { runCampaign } from './campaign.js';
import { chaosOptions } from './options.js';
import { faultKinds } from './plan/fault-kinds.js';

const help = [
  'pnpm chaos [options]\n',
  '  Starts the real system, sends mixed traffic, injects faults, and compares all that was promised with all that',
  '  happened. The exit code is 1 if a promise was broken. The same seed gives the same plan.\n',
  formatHelp(chaosOptions),
  '  faults:',
  ...Object.entries(faultKinds).map(([name, { description }]) => `  ${name.padEnd(18)}  ${description}`),
].join('\n');

await runTool(
  {
    help,
    run: (args, print, interrupted) => {
      // Every intent listens to it.
      setMaxListeners(0, interrupted);
      const announce = (): void => {
        print('Interrupted: the result of this run is discarded.');
      };
      interrupted.addEventListener('abort', announce);
      return runCampaign(readOptions(chaosOptions, args), print, interrupted);
    },
  },
  process.argv.slice(2),
);
