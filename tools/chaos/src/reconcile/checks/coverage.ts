import { groupBy, type Check } from '../check.js';

/** A run in which nothing was disturbed, or nothing was accepted, proves nothing. */
export const coverage: Check = {
  name: 'coverage',
  promise: 'faults took effect, and requests of every kind were accepted',
  *find({ answers, effects }) {
    if (effects.length === 0) yield { subject: 'faults', message: 'no fault took effect' };
    for (const [kind, group] of groupBy(answers, ({ request }) => request.intent.kind))
      if (!group.some(({ status }) => status === 200))
        yield { subject: kind, message: `none of ${group.length} requests was accepted` };
  },
};
