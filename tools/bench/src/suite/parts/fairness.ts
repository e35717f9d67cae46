import { median } from '../../report/measurement.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { measureFairness } from '../../sms/fairness.js';
import { SmsRun } from '../../sms/sms-run.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';

const backlog = 100_000;

/** Two organisations; the five messages of the second are its rounds. */
const fairnessGroup: Group<SmsRun> = {
  title: 'fairness',
  rounds: 1,
  warmsUp: false,
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) => work(await SmsRun.start(environment, 2))),
  verify: async (run) => {
    await run.untilFinal();
    await run.audit();
  },
};

const firstMessageBehindBacklog: Point<SmsRun> = {
  title: `another organisation has ${backlog.toLocaleString('en')} recipients waiting`,
  measure: async (run) => {
    const { milliseconds, left, perSecond } = await measureFairness(run, backlog);
    return {
      first: milliseconds[0] ?? NaN,
      median: median(milliseconds),
      worst: Math.max(...milliseconds),
      left,
      perSecond,
    };
  },
};

export const fairness = part(
  fairnessGroup,
  [
    {
      name: 'fairness',
      title: 'the first message of an organisation behind 100,000 of another is submitted',
      figure: 'first',
      unit: 'ms',
      of: firstMessageBehindBacklog,
      bar: atMost(2_000),
      limit: 'organisations take turns when deliveries are claimed',
    },
  ],
  { needs: ['redis'] },
);
