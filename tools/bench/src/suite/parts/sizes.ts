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

/** Systems with databases of their own, by name. */
type Systems<Name extends string> = Readonly<Record<Name, SmsRun>>;

/** @param copies how many gateways and messaging workers each system has */
const openSystems =
  <Name extends string>(copies: Readonly<Record<Name, number>>): Group<Systems<Name>>['open'] =>
  ({ track }, work) => {
    const open = <T>(
      [next, ...rest]: (readonly [string, number])[],
      opened: Readonly<Record<string, SmsRun>>,
      then: (systems: Systems<Name>) => Promise<T>,
    ): Promise<T> =>
      next === undefined
        ? then(opened)
        : BenchEnvironment.for('redis', track, async (environment) => {
            const run = await SmsRun.start(environment, organisations, next[1]);
            return open(rest, { ...opened, [next[0]]: run }, then);
          });
    return open(Object.entries<number>(copies), {}, work);
  };

const auditAll = async (systems: Systems<string>): Promise<void> => {
  for (const run of Object.values(systems)) await run.audit();
};

const databases = { empty: 'an empty database', large: 'the large database' } as const;
type DatabaseName = keyof typeof databases;

const tableGroup: Group<Systems<DatabaseName>> = {
  title: 'table size',
  open: (context, work) =>
    openSystems({ empty: 1, large: 1 })(context, async (systems) => {
      const { database, customers } = systems.large;
      const { messages: count, print } = context;
      await fillMessages(database, customers, { count, state: 'delivered', print });
      await settleTables(database);
      return work(systems);
    }),
  verify: auditAll,
};

const acceptIn = (name: DatabaseName): Point<Systems<DatabaseName>> => ({
  title: databases[name],
  measure: async ({ [name]: run }, { seconds }) => {
    const { succeeded: handled, perSecond, cpu } = await run.measure('delivering', { ...load, seconds });
    return { handled, requests: perSecond, cpu: cpu.worker + cpu.postgres };
  },
});

const claimIn = (name: DatabaseName): Point<Systems<DatabaseName>> => ({
  title: `claims in ${databases[name]}`,
  measure: async ({ [name]: run }) => ({ ...(await measureDrain(run, smallBacklog, drainSeconds)) }),
});

const copies = { one: 1, two: 2, four: 4 } as const;
type CopiesName = keyof typeof copies;

const copiesGroup: Group<Systems<CopiesName>> = {
  title: 'several of each',
  open: openSystems(copies),
  verify: auditAll,
};

const sendTo = (name: CopiesName): Point<Systems<CopiesName>> => ({
  title: `${name} of each`,
  processes: { name, copies: copies[name] },
  measure: async ({ [name]: run }, { seconds }) => {
    const { succeeded: handled, perSecond, p50, cpu } = await run.measure('delivering', { ...load, seconds });
    const { gateway, worker, postgres } = cpu;
    return { handled, requests: perSecond, p50, ...cpu, cpu: gateway + worker + postgres };
  },
});

const [oneOfEach, twoOfEach, fourOfEach] = [sendTo('one'), sendTo('two'), sendTo('four')];

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
      of: acceptIn('large'),
      beside: acceptIn('empty'),
      bar: atMost(1.3),
      limit: 'index entries go to random pages only where ids are not in order of time',
    },
    {
      name: 'table-claim',
      title: 'processor time per queued delivery (worker and Postgres), large database',
      figure: 'cpu',
      unit: 'µs',
      of: claimIn('large'),
      beside: claimIn('empty'),
      bar: atMost(1.3),
      limit: 'final deliveries are not in the index of due ones',
    },
  ],
  long,
);

export const severalOfEach = part(
  copiesGroup,
  [
    {
      name: 'two-of-each',
      title: 'processor time per message (all processes), two gateways and two messaging workers',
      figure: 'cpu',
      unit: 'µs',
      of: twoOfEach,
      beside: oneOfEach,
      bar: atMost(1.2),
      limit: 'batches are smaller, and each process has work of its own when it is idle',
    },
    {
      name: 'four-of-each',
      title: 'the same, four of each',
      figure: 'cpu',
      unit: 'µs',
      of: fourOfEach,
      beside: oneOfEach,
      bar: atMost(1.4),
      limit: 'the same',
    },
  ],
  long,
);
