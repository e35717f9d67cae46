import type { Check } from '../check.js';

/** Only faults end processes. A hung process may end itself, as documented. */
export const processes: Check = {
  name: 'processes',
  promise: 'no process crashes',
  *find({ exits }) {
    for (const { process, reason, lastLogLine } of exits)
      if (!isWatchdog(lastLogLine))
        yield { subject: process, message: `ended with ${reason}: ${lastLogLine}` };
  },
};

const isWatchdog = (lastLogLine: string): boolean => lastLogLine.includes(': ending the process');
