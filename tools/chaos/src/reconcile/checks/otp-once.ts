import { typesOf } from '../../traffic/careful-client.js';
import type { ClientAnswer } from '../../traffic/requests.js';
import { firstAnswers, isVerification, otpIdOf } from '../answers.js';
import { byId, type Check, type Found, groupBy } from '../check.js';
import type { OtpFact } from '../facts.js';

/** The right token is accepted once, and a wrong one never. */
export const otpOnce: Check = {
  name: 'otp-once',
  promise: 'every OTP is verified once, by the right token',
  *find({ answers, otps }) {
    const rows = byId(otps);
    const verifications = groupBy(firstAnswers(answers).filter(isVerification), otpIdOf);
    for (const [id, group] of verifications) {
      yield* wrongAnswers(id, group);
      const row = rows.get(id);
      if (row) yield* wrongRow(row, group);
    }
    for (const { id, verified } of otps)
      if (verified > 0 && !verifications.has(id))
        yield { subject: id, message: 'it is verified, and no client has sent its token' };
  },
};

/** An OTP whose token has six digits has five attempts. A repeated wrong token may use one each time. */
const maxAttempts = 5;

function isRejected({ status, body, attempts }: ClientAnswer): boolean {
  if (status === 429) return attempts >= maxAttempts && typesOf(body).includes('too_many_attempts');
  return status === 400 && typesOf(body).includes('token_mismatch');
}

function* wrongAnswers(id: string, group: readonly ClientAnswer[]): Found {
  const wrong = group.find(({ request }) => request.step === 'wrong');
  const right = group.filter(({ request, status }) => request.step !== 'wrong' && status !== 0);
  if (wrong && wrong.status !== 0 && !isRejected(wrong))
    yield { subject: id, message: `${wrong.key} has a wrong token and was answered ${wrong.status}` };
  if (wrong?.status === 429) {
    for (const { key, status } of right)
      if (status !== 429)
        yield { subject: id, message: `${key} was answered ${status}, and no attempt was left` };
    return;
  }
  const successes = right.filter(({ status }) => status === 200);
  if (successes.length > 1)
    yield { subject: id, message: `${successes.map(({ key }) => key).join()} were all answered 200` };
  const isComplete = group.every(({ status }) => status !== 0);
  if (successes.length === 0 && isComplete) yield { subject: id, message: 'no right token was answered 200' };
  for (const { key, status, body } of right)
    if (status !== 200 && !(status === 409 && typesOf(body).includes('already_verified')))
      yield { subject: id, message: `${key} has the right token and was answered ${status}` };
}

/** As many verifications are stored as were answered 200; one more may belong to a request without an answer. */
function* wrongRow({ id, verified }: OtpFact, group: readonly ClientAnswer[]): Found {
  const successes = group.filter(({ status }) => status === 200).length;
  const isComplete = group.every(({ status }) => status !== 0);
  if (verified > 1 || verified < successes || (isComplete && verified !== successes))
    yield {
      subject: id,
      message: `${verified} verifications are stored, and ${successes} were answered 200`,
    };
}
