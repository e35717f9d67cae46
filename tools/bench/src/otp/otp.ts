import { bench, type Running, type Say } from '../bench.js';
import { Stage } from '../stage/stage.js';
import { OtpCallers } from './otp-load.js';
import { type OtpOptions, otpOptions } from './otp-options.js';
import { measurementOf, type OtpMeasurement, otpReport, type OtpWay, otpWays } from './otp-report.js';
import { OtpRun } from './otp-run.js';

/** What an OTP costs from the gateway to the database and back, beside one statement without a queue. */
export const otp = bench(
  'requesting and verifying OTPs, beside one statement without a queue',
  otpOptions,
  measure,
);

function measure(options: OtpOptions, say: Say, running: Running): Promise<number> {
  say(`Requests for OTPs, then their verification; the queue on ${options.on}`);
  say('The direct way knows no keys, limits, guards, batches or second run: it is what the database costs');
  return Stage.for(options.on, running, async (stage) => {
    const run = await OtpRun.start(stage);
    for (const line of otpReport(await measureAll(run, options, say), options.connections)) say(line);
    return 0;
  });
}

/** Both in turn, every second time the other way round: noise and drift meet both alike. */
async function measureAll(
  run: OtpRun,
  { rounds, connections, seconds }: OtpOptions,
  say: Say,
): Promise<OtpMeasurement[]> {
  const measurements: OtpMeasurement[] = [];
  let verified = 0;
  const ways = Object.keys(otpWays) as OtpWay[];
  // Round 0 runs both warm.
  for (let round = 0; round <= rounds; round += 1) {
    for (const count of connections) {
      for (const way of round % 2 === 1 ? ways : ways.toReversed()) {
        const callers = new OtpCallers({ port: run.ports[way], key: run.key, connections: count });
        const { ids, times } = await callers.requestFor(round === 0 ? 1 : seconds);
        const facts = { way, connections: count };
        const both = [
          measurementOf({ ...facts, operation: 'request' }, times),
          measurementOf({ ...facts, operation: 'verify' }, await callers.verifyAll(ids)),
        ];
        callers.close();
        verified += ids.length;
        if (round > 0) measurements.push(...both);
        const shown = both.map(({ operation, perSecond }) => `${operation} ${perSecond.toFixed(0)} req/s`);
        say(
          `${round === 0 ? 'warming up' : `round ${round}/${rounds}`}, ${count} at a time, ${otpWays[way]}: ${shown.join(', ')}`,
        );
      }
    }
  }
  await run.audit(verified);
  return measurements;
}
