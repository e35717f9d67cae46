import { firstAnswers, isVerification, otpIdOf } from '../answers.js';
import { byId, type Check, groupBy } from '../check.js';

/** One request verifies an OTP, whatever else is sent. */
export const otpOnce: Check = {
  name: 'otp-once',
  promise: 'no OTP is verified twice',
  *find({ answers, otps }) {
    for (const { id, verified } of otps)
      if (verified > 1) yield { subject: id, message: `${verified} verifications are stored` };
    const rows = byId(otps);
    const successes = firstAnswers(answers).filter(
      (answer) => isVerification(answer) && answer.status === 200,
    );
    for (const [id, group] of groupBy(successes, otpIdOf)) {
      const keys = group.map(({ key }) => key).join();
      if (group.length > 1) yield { subject: id, message: `${keys} were all answered 200` };
      if (rows.get(id)?.verified === 0)
        yield { subject: id, message: `${keys} was answered 200, none is stored` };
    }
  },
};
