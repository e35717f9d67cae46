import { median } from '../../report/measurement.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { measureFairness } from '../../sms/fairness.js';
import { SmsRun } from '../../sms/sms-run.js';
import type { Group, Point } from '../scenario.js';

const backlog = 100_000;

/** Two organisations; the five messages of the second are its rounds. */
export const fairnessGroup: Group<SmsRun> = {
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

export const firstMessageBehindBacklog: Point<SmsRun> = {
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
