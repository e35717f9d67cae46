import { BenchEnvironment } from '../../environment/bench-environment.js';
import { type OtpWay, otpWays } from '../../otp/otp-report.js';
import { OtpRun } from '../../otp/otp-run.js';
import type { Group, Point } from '../scenario.js';

const connections = 64;

export const otpGroup: Group<OtpRun> = {
  title: 'OTPs',
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) => work(await OtpRun.start(environment))),
};

export const verifyOtps = (way: OtpWay): Point<OtpRun> => ({
  title: way === 'direct' ? 'direct SQL' : otpWays[way],
  measure: async (run, { seconds }) => {
    const { perSecond, p50, others } = await run.verify(way, connections, seconds);
    if (Object.keys(others).length > 0) throw new Error(`Requests failed: ${JSON.stringify(others)}`);
    return { requests: perSecond, p50 };
  },
});
