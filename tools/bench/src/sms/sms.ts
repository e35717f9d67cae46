import { bench, type Track, type Print } from '../bench.js';
import { median } from '../report/measurement.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { measureFairness } from './fairness.js';
import { type SmsOptions, smsOptions } from './sms-options.js';
import {
  labelOf,
  type SmsMeasurement,
  smsReport,
  type SmsScenario,
  type SmsWay,
  smsWays,
} from './sms-report.js';
import { SmsRun } from './sms-run.js';

const warmUpSeconds = 1;

export const sms = bench(
  'sending messages, compared with one statement without a queue; and how one organisation’s backlog delays another',
  smsOptions,
  measure,
);

function measure(options: SmsOptions, print: Print, track: Track): Promise<number> {
  print(`Messages of ${options.recipients.join(' and ')} recipients; the queue on ${options.on}`);
  print('The direct way has no keys, limits, prices or repeated runs, and delivers nothing');
  return BenchEnvironment.for(options.on, track, async (environment) => {
    // The backlog needs two.
    const run = await SmsRun.start(environment, Math.max(2, ...options.organisations));
    const scenarios = options.recipients.flatMap((recipients) =>
      options.organisations.map((organisations) => ({ recipients, organisations })),
    );
    for (const line of smsReport(await measureAll(run, scenarios, options, print), scenarios)) print(line);
    if (options.backlog > 0) await printFairness(run, options.backlog, print);
    await run.untilFinal();
    await run.audit();
    return 0;
  });
}

/** Measures all in turn, in every second round in reverse, so that noise and drift affect all equally. */
async function measureAll(
  run: SmsRun,
  scenarios: readonly SmsScenario[],
  { rounds, connections, seconds }: SmsOptions,
  print: Print,
): Promise<SmsMeasurement[]> {
  const ways = Object.keys(smsWays) as SmsWay[];
  const measurements: SmsMeasurement[] = [];
  // Round 0 warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const scenario of scenarios) {
      for (const way of round % 2 === 1 ? ways : ways.toReversed()) {
        const callers = callersFor(scenario.recipients, connections);
        const result = await run.measure(way, {
          ...scenario,
          connections: callers,
          seconds: round === 0 ? Math.min(warmUpSeconds, seconds) : seconds,
        });
        if (round > 0) measurements.push({ ...result, ...scenario, way, round });
        const part = round === 0 ? 'warming up' : `round ${round}/${rounds}`;
        const others = Object.entries(result.others).map(
          ([status, count]) => `; ${count} × status ${status}`,
        );
        print(
          `${part}, ${labelOf(scenario)}, ${callers} callers, ${smsWays[way]}: ${result.perSecond.toFixed(1)} req/s${others.join('')}`,
        );
      }
    }
  }
  return measurements;
}

/** Large requests come from fewer callers. */
export const callersFor = (recipients: number, connections: number): number =>
  recipients < 50 ? connections : Math.max(1, Math.round(connections / 8));

async function printFairness(run: SmsRun, backlog: number, print: Print): Promise<void> {
  const { milliseconds, left, perSecond } = await measureFairness(run, backlog);
  const [typical, worst] = [median(milliseconds), Math.max(...milliseconds)].map((time) => time.toFixed(0));
  print(
    `one organisation has ${backlog.toLocaleString('en')} recipients waiting, another sends: its messages leave after ${typical} ms (median), ${worst} ms (worst of ${milliseconds.length}); ${left.toLocaleString('en')} of the first still wait, ${perSecond.toFixed(0)} a second leave`,
  );
}
