import { BenchEnvironment } from '../../environment/bench-environment.js';
import { measureDrain } from '../../sms/drain.js';
import { fillMessages, settleTables } from '../../sms/fill-messages.js';
import { SmsRun } from '../../sms/sms-run.js';
import type { Group, Point } from '../scenario.js';
import { organisations } from './messages.js';

const smallBacklog = 1_000;
/** The longest that a backlog is drained in one measurement. */
const drainSeconds = 10;
const load = { recipients: 1, organisations, connections: 64 };

/** Every round fills and empties the queue, so there are fewer of them. */
export const backlogGroup: Group<SmsRun> = {
  title: 'backlogs',
  rounds: 3,
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) =>
      work(await SmsRun.start(environment, organisations)),
    ),
  verify: (run) => run.audit(),
};

export const deliverBacklogOf = (count: number): Point<SmsRun> => ({
  title: `a backlog of ${count.toLocaleString('en')}`,
  measure: async (run) => ({ ...(await measureDrain(run, count, drainSeconds)) }),
});

interface TwoRuns {
  readonly one: SmsRun;
  readonly other: SmsRun;
}

/** Opens two systems with databases of their own. */
const openTwo =
  (copiesOfOther: number): Group<TwoRuns>['open'] =>
  ({ track }, work) =>
    BenchEnvironment.for('redis', track, (first) =>
      BenchEnvironment.for('redis', track, async (second) =>
        work({
          one: await SmsRun.start(first, organisations),
          other: await SmsRun.start(second, organisations, copiesOfOther),
        }),
      ),
    );

const auditTwo = async ({ one, other }: TwoRuns): Promise<void> => {
  await one.audit();
  await other.audit();
};

/** An empty database, and `other` with many messages. */
export const tableGroup: Group<TwoRuns> = {
  title: 'table size',
  open: (context, work) =>
    openTwo(1)(context, async (runs) => {
      const { database, customers } = runs.other;
      const { messages: count, print } = context;
      await fillMessages(database, customers, { count, state: 'delivered', print });
      await settleTables(database);
      return work(runs);
    }),
  verify: auditTwo,
};

const databases = { one: 'an empty database', other: 'the large database' } as const;

export const acceptIn = (name: keyof TwoRuns): Point<TwoRuns> => ({
  title: databases[name],
  measure: async ({ [name]: run }, { seconds }) => {
    const { perSecond, cpu } = await run.measure('delivering', { ...load, seconds });
    return { requests: perSecond, cpu: cpu.worker + cpu.postgres };
  },
});

export const claimIn = (name: keyof TwoRuns): Point<TwoRuns> => ({
  title: `claims in ${databases[name]}`,
  measure: async ({ [name]: run }) => ({ ...(await measureDrain(run, smallBacklog, drainSeconds)) }),
});

/** One gateway and one messaging worker, and `other` with two of each. */
export const copiesGroup: Group<TwoRuns> = { title: 'two of each', open: openTwo(2), verify: auditTwo };

const copies = { one: 'one gateway and one messaging worker', other: 'two of each' } as const;

export const sendTo = (name: keyof TwoRuns): Point<TwoRuns> => ({
  title: copies[name],
  measure: async ({ [name]: run }, { seconds }) => {
    const { perSecond, p50 } = await run.measure('delivering', { ...load, seconds });
    return { requests: perSecond, p50 };
  },
});
