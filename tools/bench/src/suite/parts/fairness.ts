import { BenchEnvironment } from '../../environment/bench-environment.js';
import { measureFairness } from '../../sms/fairness.js';
import { SmsRun } from '../../sms/sms-run.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';

const backlog = 100_000;

const fairnessGroup: Group<SmsRun> = {
  title: 'fairness',
  needs: ['redis'],
  rounds: 1,
  warmsUp: false,
  open: async (resources) => SmsRun.start(await BenchEnvironment.start('redis', resources), 2),
  verify: async (run) => {
    await run.untilFinal();
    await run.audit();
  },
};

const firstMessageBehindBacklog: Point<SmsRun> = {
  title: `another organisation has ${backlog.toLocaleString('en')} recipients waiting`,
  measure: async (run) => ({ first: await measureFairness(run, backlog) }),
};

export const fairness = part(fairnessGroup, [
  {
    name: 'fairness',
    title: 'the first message of an organisation behind 100,000 of another is submitted',
    figure: 'first',
    unit: 'ms',
    of: firstMessageBehindBacklog,
    bar: atMost(2_000),
    limit: 'organisations take turns when deliveries are claimed',
  },
]);
