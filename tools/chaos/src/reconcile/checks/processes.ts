import type { UnexpectedExit } from '../../system/app-process.js';
import type { Check } from '../check.js';
import { isDisturbed } from '../facts.js';

/** A process that hangs ends itself within this time. */
const noticeMs = 60_000;

/**
 * Only faults end processes. A process may hang, and end itself as documented, after it was disturbed itself. A fault of a
 * server is no excuse: a process has to reconnect.
 */
export const processes: Check = {
  name: 'processes',
  promise: 'no process crashes',
  *find(facts) {
    const disturbances = facts.disturbances.filter(({ target }) => target !== '');
    for (const exit of facts.exits) {
      const { process, reason, lastLogLine, at } = exit;
      const from = new Date(at.getTime() - noticeMs);
      if (!isWatchdog(exit) || !isDisturbed({ disturbances }, process, from, at))
        yield { subject: process, message: `ended with ${reason}: ${lastLogLine}` };
    }
  },
};

const isWatchdog = ({ lastLogLine }: UnexpectedExit): boolean => lastLogLine.includes(': ending the process');

/** How often a process ended itself because it hung. */
export const countWatchdogExits = (exits: readonly UnexpectedExit[]): number =>
  exits.filter(isWatchdog).length;
