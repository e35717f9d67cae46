import { groupBy, type Check } from '../check.js';

/** The kinds of faults that may find nothing to disturb. With so many tries, one of them must. */
const uncertain: ReadonlySet<string> = new Set([
  'kill-at-commit',
  'slow-then-kill',
  'cut-postgres',
  'lose-answers',
]);
const minTries = 3;

/** A run in which nothing was disturbed, or nothing was accepted, proves nothing. */
export const coverage: Check = {
  name: 'coverage',
  promise: 'every kind of fault took effect, and requests of every kind were accepted',
  *find({ answers, faults }) {
    if (!faults.some(({ effect }) => effect !== undefined))
      yield { subject: 'faults', message: 'no fault took effect' };
    for (const [fault, tries] of groupBy(faults, (one) => one.fault))
      if (
        tries.length >= (uncertain.has(fault) ? minTries : 1) &&
        tries.every(({ effect }) => effect === undefined)
      )
        yield { subject: fault, message: `none of ${tries.length} faults took effect` };
    for (const [kind, group] of groupBy(answers, ({ request }) => request.intent.kind))
      if (!group.some(({ status }) => status === 200))
        yield { subject: kind, message: `none of ${group.length} requests was accepted` };
  },
};
