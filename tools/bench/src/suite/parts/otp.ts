import { BenchEnvironment } from '../../environment/bench-environment.js';
import { OtpRun } from '../../otp/otp-run.js';
import { part } from '../part.js';
import { atLeast, type Group, type Point } from '../scenario.js';

const connections = 64;

const otpGroup: Group<OtpRun> = {
  title: 'OTPs',
  needs: ['redis'],
  open: async (resources) => OtpRun.start(await BenchEnvironment.start('redis', resources)),
};

const verifyOtps = (server: 'system' | 'direct', title: string): Point<OtpRun> => ({
  title,
  measure: async (run, { seconds }) => {
    const { succeeded: handled, perSecond } = await run.verify(server, connections, seconds);
    return { handled, requests: perSecond };
  },
});

export const otp = part(otpGroup, [
  {
    name: 'otp-verify',
    title: 'POST /otp/verify, 64 connections',
    figure: 'requests',
    unit: 'req/s',
    of: verifyOtps('system', 'the system'),
    beside: verifyOtps('direct', 'direct SQL'),
    bar: atLeast(1),
    limit: 'processor time of gateway and worker; direct SQL has no keys, limits or guards',
  },
]);
