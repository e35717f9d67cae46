import type { ClientAnswer } from '../../traffic/requests.js';
import { isVerification } from '../answers.js';
import { type Check, groupBy } from '../check.js';
import type { Facts } from '../facts.js';

/** All inputs are valid, so only 200 is final, or 402 without money. The check of OTPs compares verifications. */
function isExpected(answer: ClientAnswer, { organisations }: Facts): boolean {
  const { path, intent } = answer.request;
  if (isVerification(answer) || answer.status === 200) return true;
  return (
    answer.status === 402 &&
    !path.startsWith('/lists') &&
    organisations[intent.organisation]?.runsOut === true
  );
}

/**
 * Every request has one final answer, which a repeated request gets too. (If the answer to a PATCH could not be stored,
 * its repetition is carried out and shows the row as it is then.)
 */
export const answered: Check = {
  name: 'answered',
  promise: 'every request gets a final answer, and its repetition the same one',
  *find(facts) {
    for (const [key, group] of groupBy(facts.answers, (answer) => answer.key)) {
      const [first, ...repeated] = group;
      if (first?.status === 0)
        yield { subject: key, message: `no final answer in ${first.attempts} attempts` };
      else if (first && !isExpected(first, facts))
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
