import { BenchEnvironment } from '../../environment/bench-environment.js';
import type { Resources } from '../../processes/resources.js';
import { measureDrain } from '../../sms/drain.js';
import { fillMessages, settleTables } from '../../sms/fill-messages.js';
import { SmsRun } from '../../sms/sms-run.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';
import { organisations } from './message-points.js';

const long = { needs: ['redis', 'proc'], long: true } as const;
const smallBacklog = 1_000;
const load = { recipients: 1, organisations, connections: 64 };

/** Every round fills and empties the queue, so there are fewer of them. */
const backlogGroup: Group<SmsRun> = {
  title: 'backlogs',
  ...long,
  rounds: 3,
  open: async (resources) => SmsRun.start(await BenchEnvironment.start('redis', resources), organisations),
  verify: (run) => run.audit(),
};

const deliverBacklogOf = (count: number): Point<SmsRun> => ({
  title: `a backlog of ${count.toLocaleString('en')}`,
  measure: async (run) => ({ cpu: await measureDrain(run, count) }),
});

/** Systems with databases of their own, by name. */
type Systems<Name extends string> = Readonly<Record<Name, SmsRun>>;

/** @param copies how many gateways and messaging workers each system has */
const openSystems = async <Name extends string>(
  resources: Resources,
  copies: Readonly<Record<Name, number>>,
): Promise<Systems<Name>> => {
  const opened: [string, SmsRun][] = [];
  for (const [name, count] of Object.entries<number>(copies)) {
    const environment = await BenchEnvironment.start('redis', resources);
    opened.push([name, await SmsRun.start(environment, organisations, count)]);
  }
  return Object.fromEntries(opened) as Systems<Name>;
};

const auditAll = async (systems: Systems<string>): Promise<void> => {
  for (const run of Object.values(systems)) await run.audit();
};

const databases = { empty: 'an empty database', large: 'the large database' } as const;
type DatabaseName = keyof typeof databases;

const tableGroup: Group<Systems<DatabaseName>> = {
  title: 'table size',
  ...long,
  open: async (resources, { messages: count, print }) => {
    const systems = await openSystems(resources, { empty: 1, large: 1 });
    const { database, customers } = systems.large;
    await fillMessages(database, customers, { count, state: 'delivered', print });
    await settleTables(database);
    return systems;
  },
  verify: auditAll,
};

const acceptIn = (name: DatabaseName): Point<Systems<DatabaseName>> => ({
  title: databases[name],
  measure: async ({ [name]: run }, { seconds }) => {
    const { succeeded, perSecond, worker, postgres } = await run.measure('delivering', { ...load, seconds });
    return { handled: succeeded, requests: perSecond, cpu: worker + postgres };
  },
});

const claimIn = (name: DatabaseName): Point<Systems<DatabaseName>> => ({
  title: `claims in ${databases[name]}`,
  measure: async ({ [name]: run }) => ({ cpu: await measureDrain(run, smallBacklog) }),
});

const copies = { one: 1, two: 2, four: 4 } as const;
type CopiesName = keyof typeof copies;

const copiesGroup: Group<Systems<CopiesName>> = {
  title: 'several of each',
  ...long,
  open: (resources) => openSystems(resources, copies),
  verify: auditAll,
};

const sendTo = (name: CopiesName): Point<Systems<CopiesName>> => ({
  title: `${name} of each`,
  processes: { name, copies: copies[name] },
  measure: async ({ [name]: run }, { seconds }) => {
    const result = await run.measure('delivering', { ...load, seconds });
    const { succeeded: handled, perSecond: requests, gateway, worker, postgres } = result;
    return { handled, requests, gateway, worker, postgres, cpu: gateway + worker + postgres };
  },
});

const [oneOfEach, twoOfEach, fourOfEach] = [sendTo('one'), sendTo('two'), sendTo('four')];

const cpu = { figure: 'cpu', unit: 'µs' } as const;

export const backlogs = part(backlogGroup, [
  {
    ...cpu,
    name: 'backlog-100000',
    title: 'processor time per delivery (worker and Postgres), 100,000 are queued',
    of: deliverBacklogOf(100_000),
    beside: deliverBacklogOf(1_000),
    bar: atMost(1.3),
    limit: 'an index holds the due deliveries of each organisation in order',
  },
  {
    ...cpu,
    name: 'backlog-1000000',
    title: 'the same, 1,000,000 are queued',
    of: deliverBacklogOf(1_000_000),
    beside: deliverBacklogOf(1_000),
    bar: atMost(1.3),
    limit: 'the same',
  },
]);

export const tableSize = part(tableGroup, [
  {
    ...cpu,
    name: 'table-accept',
    title: 'processor time per message (worker and Postgres), large database',
    of: acceptIn('large'),
    beside: acceptIn('empty'),
    bar: atMost(1.3),
    limit: 'index entries go to random pages only where ids are not in order of time',
  },
  {
    ...cpu,
    name: 'table-claim',
    title: 'processor time per queued delivery (worker and Postgres), large database',
    of: claimIn('large'),
    beside: claimIn('empty'),
    bar: atMost(1.3),
    limit: 'final deliveries are not in the index of due ones',
  },
]);

export const severalOfEach = part(copiesGroup, [
  {
    ...cpu,
    name: 'two-of-each',
    title: 'processor time per message (all processes), two gateways and two messaging workers',
    of: twoOfEach,
    beside: oneOfEach,
    bar: atMost(1.2),
    limit: 'batches are smaller, and each process has work of its own when it is idle',
  },
  {
    ...cpu,
    name: 'four-of-each',
    title: 'the same, four of each',
    of: fourOfEach,
    beside: oneOfEach,
    bar: atMost(1.4),
    limit: 'the same',
  },
]);
