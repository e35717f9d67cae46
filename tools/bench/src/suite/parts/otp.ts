import { BenchEnvironment } from '../../environment/bench-environment.js';
import { type OtpWay, otpWays } from '../../otp/otp-report.js';
import { OtpRun } from '../../otp/otp-run.js';
import { part } from '../part.js';
import { atLeast, type Group, type Point } from '../scenario.js';

const connections = 64;

const otpGroup: Group<OtpRun> = {
  title: 'OTPs',
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) => work(await OtpRun.start(environment))),
};

const verifyOtps = (way: OtpWay): Point<OtpRun> => ({
  title: way === 'direct' ? 'direct SQL' : otpWays[way],
  measure: async (run, { seconds }) => {
    const { succeeded: handled, perSecond, p50, others } = await run.verify(way, connections, seconds);
    if (Object.keys(others).length > 0) throw new Error(`Requests failed: ${JSON.stringify(others)}`);
    return { handled, requests: perSecond, p50 };
  },
});

export const otp = part(
  otpGroup,
  [
    {
      name: 'otp-verify',
      title: 'POST /otp/verify, 64 connections',
      figure: 'requests',
      unit: 'req/s',
      of: verifyOtps('system'),
      beside: verifyOtps('direct'),
      bar: atLeast(1),
      limit: 'processor time of gateway and worker; direct SQL has no keys, limits or guards',
    },
  ],
  { needs: ['redis'] },
);
