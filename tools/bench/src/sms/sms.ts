import { redisAvailable } from '@gangan/testing';
import { UsageError } from '../options.js';
import { median } from '../report/measurement.js';
import { measureFairness } from './fairness.js';
import { readSmsOptions, type SmsOptions } from './sms-options.js';
import { type SmsMeasurement, smsReport, type SmsWay, smsWays } from './sms-report.js';
import { SmsRun } from './sms-run.js';

type Say = (line: string) => void;

const warmUpSeconds = 1;

/** What a message costs from the gateway to the database and back, and what one organisation costs another. */
export async function benchSms(
  args: readonly string[],
  say: Say,
  running: (run: { close(): Promise<void> }) => void,
): Promise<number> {
  const options = readSmsOptions(args);
  if (options.on === 'redis' && !redisAvailable) throw new UsageError('redis-server is not on the PATH');
  say(`Messages of ${options.recipients.join(' and ')} recipients; the queue on ${options.on}`);
  say('The direct way knows no keys, limits, prices or second run, and delivers nothing');
  const run = await SmsRun.start(options);
  running(run);
  try {
    for (const line of smsReport(await measureAll(run, options, say), options.recipients)) say(line);
    if (options.backlog > 0) await tellFairness(run, options.backlog, say);
    await run.audit();
    return 0;
  } finally {
    await run.close();
  }
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
