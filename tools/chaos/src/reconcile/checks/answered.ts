import { isStored } from '../../traffic/carry-out.js';
import type { ClientAnswer } from '../../traffic/requests.js';
import { firstAnswers, isVerification } from '../answers.js';
import { type Check, type Found, groupBy } from '../check.js';
import type { Facts } from '../facts.js';

/** All inputs are valid, so only 200 is final, or 402 without money. The check of OTPs compares verifications. */
function isExpected(answer: ClientAnswer, { organisations }: Facts): boolean {
  const { path, intent } = answer.request;
  if (isVerification(answer) || answer.status === 200) return true;
  return answer.status === 402 && paid.has(path) && organisations[intent.organisation]?.runsOut === true;
}

const paid = new Set(['/sms/send', '/otp/request_token', '/airtime/buy']);

/**
 * If the answer could not be stored, the repetition is carried out: that of a PATCH shows the row as it is then, and a 402
 * the balance.
 */
const mayDiffer = ({ request, status }: ClientAnswer): boolean =>
  request.method === 'PATCH' || status === 402;

/** Every request has one final answer, which a repeated request gets too. */
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
      for (const { status, text } of repeated)
        if (status !== 0 && first && (status !== first.status || (text !== first.text && !mayDiffer(first))))
          yield {
            subject: key,
            message: `${first.status} at first, then ${status} ${text.slice(0, 200)}`,
          };
    }
    yield* differentLostAnswers(facts);
  },
};

/** A request whose answer is lost gets the same answer when it is repeated. */
function* differentLostAnswers({ answers, lostAnswers }: Facts): Found {
  const finals = new Map(firstAnswers(answers).map((answer) => [answer.key, answer]));
  for (const { key, status, text } of lostAnswers) {
    const final = finals.get(key);
    if (!final || final.status === 0 || !isStored({ status }) || text.includes('"in_progress"')) continue;
    if (final.status !== status || (final.text !== text && !mayDiffer(final)))
      yield {
        subject: key,
        message: `${status} ${text.slice(0, 200)} was lost, then ${final.status} ${final.text.slice(0, 200)}`,
      };
  }
}
