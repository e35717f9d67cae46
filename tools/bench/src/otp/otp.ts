import { bench, type Track, type Print } from '../bench.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { OtpCallers } from './otp-load.js';
import { type OtpOptions, otpOptions } from './otp-options.js';
import { toMeasurement, type OtpMeasurement, otpReport, type OtpWay, otpWays } from './otp-report.js';
import { OtpRun } from './otp-run.js';

export const otp = bench(
  'requesting and verifying OTPs, compared with one statement without a queue',
  otpOptions,
  measure,
);

function measure(options: OtpOptions, print: Print, track: Track): Promise<number> {
  print(`Requests for OTPs, then their verification; the queue on ${options.on}`);
  print(
    'The direct way has no keys, limits, guards, batches or repeated runs: it shows the cost of the database',
  );
  return BenchEnvironment.for(options.on, track, async (environment) => {
    const run = await OtpRun.start(environment);
    for (const line of otpReport(await measureAll(run, options, print), options.connections)) print(line);
    return 0;
  });
}

/** Measures both in turn, in every second round in reverse, so that noise and drift affect both equally. */
async function measureAll(
  run: OtpRun,
  { rounds, connections, seconds }: OtpOptions,
  print: Print,
): Promise<OtpMeasurement[]> {
  const measurements: OtpMeasurement[] = [];
  let verified = 0;
  const ways = Object.keys(otpWays) as OtpWay[];
  // Round 0 warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const count of connections) {
      for (const way of round % 2 === 1 ? ways : ways.toReversed()) {
        const callers = new OtpCallers({ port: run.ports[way], key: run.key, connections: count });
        const { ids, times } = await callers.requestFor(round === 0 ? 1 : seconds);
        const facts = { way, connections: count };
        const both = [
          toMeasurement({ ...facts, operation: 'request' }, times),
          toMeasurement({ ...facts, operation: 'verify' }, await callers.verifyAll(ids)),
        ];
        callers.close();
        verified += ids.length;
        if (round > 0) measurements.push(...both);
        const shown = both.map(({ operation, perSecond }) => `${operation} ${perSecond.toFixed(0)} req/s`);
        print(
          `${round === 0 ? 'warming up' : `round ${round}/${rounds}`}, ${count} at a time, ${otpWays[way]}: ${shown.join(', ')}`,
        );
      }
    }
  }
  await run.audit(verified);
  return measurements;
}
