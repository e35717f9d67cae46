import { bench, type Running, type Say } from '../bench.js';
import { median } from '../report/measurement.js';
import { Stage } from '../stage/stage.js';
import { measureFairness } from './fairness.js';
import { type SmsOptions, smsOptions } from './sms-options.js';
import { type SmsMeasurement, smsReport, type SmsWay, smsWays } from './sms-report.js';
import { SmsRun } from './sms-run.js';

const warmUpSeconds = 1;

/** What a message costs from the gateway to the database and back, and what one organisation costs another. */
export const sms = bench(
  'sending messages, beside one statement without a queue; and what one organisation’s many recipients cost another',
  smsOptions,
  measure,
);

function measure(options: SmsOptions, say: Say, running: Running): Promise<number> {
  say(`Messages of ${options.recipients.join(' and ')} recipients; the queue on ${options.on}`);
  say('The direct way knows no keys, limits, prices or second run, and delivers nothing');
  return Stage.for(options.on, running, async (stage) => {
    const run = await SmsRun.start(stage);
    for (const line of smsReport(await measureAll(run, options, say), options.recipients)) say(line);
    if (options.backlog > 0) await tellFairness(run, options.backlog, say);
    await run.audit();
    return 0;
  });
}

/** Both in turn, every second time the other way round: noise and drift meet both alike. */
async function measureAll(run: SmsRun, options: SmsOptions, say: Say): Promise<SmsMeasurement[]> {
  const { rounds, recipients: sizes, connections, seconds } = options;
  const ways = Object.keys(smsWays) as SmsWay[];
  const measurements: SmsMeasurement[] = [];
  // Round 0 runs both warm.
  for (let round = 0; round <= rounds; round += 1) {
    for (const recipients of sizes) {
      for (const way of round % 2 === 1 ? ways : ways.toReversed()) {
        const callers = callersOf(recipients, connections);
        const result = await run.measure(
          way,
          recipients,
          callers,
          round === 0 ? Math.min(warmUpSeconds, seconds) : seconds,
        );
        if (round > 0) measurements.push({ ...result, way, recipients, round });
        const part = round === 0 ? 'warming up' : `round ${round}/${rounds}`;
        const others = Object.entries(result.others).map(
          ([status, count]) => `; ${count} × status ${status}`,
        );
        say(
          `${part}, ${recipients} recipients, ${callers} callers, ${smsWays[way]}: ${result.perSecond.toFixed(1)} req/s${others.join('')}`,
        );
      }
    }
  }
  return measurements;
}

/** Who sends to hundreds at once does not do so from as many places. */
const callersOf = (recipients: number, connections: number): number =>
  recipients < 50 ? connections : Math.max(1, Math.round(connections / 8));

async function tellFairness(run: SmsRun, backlog: number, say: Say): Promise<void> {
  const { milliseconds, left, perSecond } = await measureFairness(run, backlog);
  const [typical, worst] = [median(milliseconds), Math.max(...milliseconds)].map((time) => time.toFixed(0));
  say(
    `one organisation has ${backlog.toLocaleString('en')} recipients waiting, another sends: its messages leave after ${typical} ms (median), ${worst} ms (worst of ${milliseconds.length}); ${left.toLocaleString('en')} of the first still wait, ${perSecond.toFixed(0)} a second leave`,
  );
}
