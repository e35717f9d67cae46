import type { Check } from '../check.js';

/** For runs without faults: no client has to repeat a request. */
export const firstAttempt: Check = {
  name: 'first-attempt',
  promise: 'every request is answered at its first attempt: no 5xx, 429 or broken connection',
  *find({ answers }) {
    for (const { key, retriedAfter } of answers)
      for (const result of retriedAfter) yield { subject: key, message: `the client got ${result}` };
  },
};
