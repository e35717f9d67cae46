import { BenchEnvironment } from '../../environment/bench-environment.js';
import { measureDrain } from '../../sms/drain.js';
import { fillMessages, settleTables } from '../../sms/fill-messages.js';
import { SmsRun } from '../../sms/sms-run.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';
import { organisations } from './message-points.js';

const smallBacklog = 1_000;
/** The longest that a backlog is drained in one measurement. */
const drainSeconds = 10;
const load = { recipients: 1, organisations, connections: 64 };

/** Every round fills and empties the queue, so there are fewer of them. */
const backlogGroup: Group<SmsRun> = {
  title: 'backlogs',
  rounds: 3,
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) =>
      work(await SmsRun.start(environment, organisations)),
    ),
  verify: (run) => run.audit(),
};

const deliverBacklogOf = (count: number): Point<SmsRun> => ({
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
const tableGroup: Group<TwoRuns> = {
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

const acceptIn = (name: keyof TwoRuns): Point<TwoRuns> => ({
  title: databases[name],
  measure: async ({ [name]: run }, { seconds }) => {
    const { perSecond, cpu } = await run.measure('delivering', { ...load, seconds });
    return { requests: perSecond, cpu: cpu.worker + cpu.postgres };
  },
});

const claimIn = (name: keyof TwoRuns): Point<TwoRuns> => ({
  title: `claims in ${databases[name]}`,
  measure: async ({ [name]: run }) => ({ ...(await measureDrain(run, smallBacklog, drainSeconds)) }),
});

/** One gateway and one messaging worker, and `other` with two of each. */
const copiesGroup: Group<TwoRuns> = { title: 'two of each', open: openTwo(2), verify: auditTwo };

const copies = { one: 'one gateway and one messaging worker', other: 'two of each' } as const;

const sendTo = (name: keyof TwoRuns): Point<TwoRuns> => ({
  title: copies[name],
  measure: async ({ [name]: run }, { seconds }) => {
    const { perSecond, p50 } = await run.measure('delivering', { ...load, seconds });
    return { requests: perSecond, p50 };
  },
});

const long = { needs: ['redis', 'proc'], long: true } as const;

export const backlogs = part(
  backlogGroup,
  [
    {
      name: 'backlog-100000',
      title: 'processor time per delivery (worker and Postgres), 100,000 are queued',
      figure: 'cpu',
      unit: 'µs',
      of: deliverBacklogOf(100_000),
      beside: deliverBacklogOf(1_000),
      bar: atMost(1.3),
      limit: 'an index holds the due deliveries of each organisation in order',
    },
    {
      name: 'backlog-1000000',
      title: 'the same, 1,000,000 are queued',
      figure: 'cpu',
      unit: 'µs',
      of: deliverBacklogOf(1_000_000),
      beside: deliverBacklogOf(1_000),
      bar: atMost(1.3),
      limit: 'the same',
    },
  ],
  long,
);

export const tableSize = part(
  tableGroup,
  [
    {
      name: 'table-accept',
      title: 'processor time per message (worker and Postgres), large database',
      figure: 'cpu',
      unit: 'µs',
      of: acceptIn('other'),
      beside: acceptIn('one'),
      bar: atMost(1.3),
      limit: 'index entries go to random pages only where ids are not in order of time',
    },
    {
      name: 'table-claim',
      title: 'processor time per queued delivery (worker and Postgres), large database',
      figure: 'cpu',
      unit: 'µs',
      of: claimIn('other'),
      beside: claimIn('one'),
      bar: atMost(1.3),
      limit: 'final deliveries are not in the index of due ones',
    },
  ],
  long,
);

export const twoOfEach = part(
  copiesGroup,
  [
    {
      name: 'two-of-each',
      title: 'POST /sms/send, 64 connections, two gateways and two messaging workers',
      figure: 'requests',
      unit: 'req/s',
      of: sendTo('other'),
      beside: sendTo('one'),
      limit: 'the same cores serve twice as many processes, and batches are smaller',
    },
  ],
  long,
);
