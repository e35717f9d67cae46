import { maskPhone } from '@gangan/runtime';
import type { ReceivedMessage } from '../inbox/incoming-message.js';

const maxFaultLength = 500;
/** Longer than any phone number. */
const maxShownLength = 32;
const shortCode = /^\d{3,8}$/;

/** Joins faults, each once, up to the length of the column. Further faults are not read. */
export function joinFaults(faults: Iterable<string>): string {
  const distinct = new Set<string>();
  let length = 0;
  for (const fault of faults) {
    if (length >= maxFaultLength) break;
    const short = fault.slice(0, maxFaultLength);
    if (!distinct.has(short)) length += short.length;
    distinct.add(short);
  }
  return [...distinct].join('; ').slice(0, maxFaultLength);
}

/** Stored for operators, who read it with `pnpm admin inbound list`. A short code is not the number of a person. */
export function unassignedFault({ channel, to }: Pick<ReceivedMessage, 'channel' | 'to'>): string {
  const number = to.slice(0, maxShownLength);
  // oxlint-disable-next-line gangan/operator-commands
  return `the ${channel} number ${shortCode.test(number) ? number : maskPhone(number)} belongs to no organisation that may receive from this provider: use \`pnpm admin numbers assign\`, then \`pnpm admin inbound replay\``;
}
