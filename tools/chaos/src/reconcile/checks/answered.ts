import type { ClientAnswer } from '../../traffic/requests.js';
import { isVerification } from '../answers.js';
import { type Check, groupBy } from '../check.js';

/** All inputs are valid, so only these are final. */
const expected = (answer: ClientAnswer): readonly number[] => {
  if (isVerification(answer)) return [200, 400, 409, 429];
  return answer.request.path.startsWith('/lists') ? [200] : [200, 402];
};

/**
 * Every request has one final answer, which a repeated request gets too. (If the answer to a PATCH could not be stored,
 * its repetition is carried out and shows the row as it is then.)
 */
export const answered: Check = {
  name: 'answered',
  promise: 'every request gets a final answer, and its repetition the same one',
  *find({ answers }) {
    for (const [key, group] of groupBy(answers, (answer) => answer.key)) {
      const [first, ...repeated] = group;
      if (first?.status === 0)
        yield { subject: key, message: `no final answer in ${first.attempts} attempts` };
      else if (first && !expected(first).includes(first.status))
        yield { subject: key, message: `unexpected answer ${first.status} ${first.text.slice(0, 200)}` };
      for (const { status, text, request } of repeated)
        if (status !== 0 && (status !== first?.status || (request.method === 'POST' && text !== first.text)))
          yield {
            subject: key,
            message: `${first?.status ?? 0} at first, then ${status} ${text.slice(0, 200)}`,
          };
    }
  },
};
