import { allContracts } from '@gangan/contracts';
import { type JobView, type Lane, laneOf, type LaneState, type QueueAdmin } from '@gangan/queue';
import type { Command } from 'commander';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { queueKeysOf } from '../session/stores.js';
import { addKeysCommand } from './keys-command.js';

const maxListed = 100;

/** Every lane of the contracts. */
const lanes: readonly Lane[] = [
  ...new Map(allContracts.map(laneOf).map((known) => [known.name, known])).values(),
].sort((one, other) => one.name.localeCompare(other.name));

const laneArgument = ['<lane>', 'a lane of `queues list`', parseLane] as const;

function parseLane(text: string): Lane {
  const found = lanes.find(({ name }) => name === text);
  return found ?? invalid(`The lanes are ${lanes.map(({ name }) => name).join(', ')}.`);
}

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list the lanes with their waiting and parked jobs').action(async () => {
    const queues = await session.queues();
    const states = await Promise.all(lanes.map(({ name }) => queues.state(name)));
    session.list(states.map(stateRow), 'There are no lanes.');
  });

  addCommand(group, 'parked', `list the oldest ${maxListed} parked jobs of a lane`, ['lookup'])
    .argument(...laneArgument)
    .action(async ({ name }: Lane) => {
      const queues = await session.queues();
      session.list((await queues.parked(name, 0, maxListed)).map(jobRow), `No job is parked in ${name}.`);
    });

  const examples = ['lookup 17', 'lookup 17 --open'];
  addCommand(group, 'show', 'show one job; its content stays sealed unless you --open it', examples)
    .argument(...laneArgument)
    .argument('<job>', 'id of the job')
    .option('--open', 'also show its content: messages, numbers, tokens. Needs QUEUE_MASTER_KEY')
    .action(async ({ name }: Lane, id: string, { open }: { open?: true }) => {
      const queues = await session.queues();
      const job = await queues.find(name, id);
      if (!job) throw new CommandError(`There is no job ${id} in ${name}.`);
      if (!open) {
        session.show(jobRow(job));
        return;
      }
      await session.audit(await session.database(), { target: `${name} ${id}`, after: { opened: true } });
      const parcels = (await queues.openSealed(name, id, await queueKeysOf(session.settings))) ?? [];
      session.remark('Warning: this is customer data. Do not copy it into logs or tickets.');
      const carries = parcels.map((parcel) => ({ parcel: JSON.stringify(parcel) }));
      session.show({ ...jobRow(job), carries });
    });

  addParkedCommand(
    addCommand(
      group,
      'replay',
      'run parked jobs again',
      ['lookup 17', 'callback-events --all'],
      `An event runs again with all its attempts. A request runs without a caller: its caller got an error or a timeout,
and may have sent the request again. The reply is discarded. What the request creates keeps its id, so that a retry
with the same Idempotency-Key finds it. Needs QUEUE_MASTER_KEY, because the seal of a request is bound to its deadline.
With --all, jobs that cannot be read or opened, such as those of version 0.2, stay parked and are counted.`,
    ),
    async (queues, lane, what, job) => {
      if (lane.kind !== 'events')
        await session.confirm(`Run ${what} without a caller? The caller may have sent the request again.`);
      const keys = lane.kind === 'events' ? undefined : await queueKeysOf(session.settings);
      await record(what, await describeParked(queues, lane, job));
      const { replayed, unopened } = job
        ? { replayed: await once(queues.replay(lane.name, job, keys), lane, job), unopened: 0 }
        : await queues.replayAll(lane.name, keys);
      const result = { lane: lane.name, replayed, ...(unopened > 0 && { unopened }) };
      session.done(
        `${replayed} put back into ${lane.name}; the log of the worker shows the outcome.`,
        result,
      );
      if (unopened === 0) return;
      session.remark(
        `${unopened} could not be opened and stay parked: check QUEUE_MASTER_KEY, and drop those of version 0.2.`,
      );
      session.exitCode = 1;
    },
  );

  addParkedCommand(
    addCommand(group, 'drop', 'delete parked jobs', ['lookup 17', 'lookup --all --yes']),
    async (queues, lane, what, job) => {
      await session.confirm(`Drop ${what}? This cannot be undone.`);
      await record(what, await describeParked(queues, lane, job));
      const count = job
        ? await once(queues.drop(lane.name, job), lane, job)
        : await queues.dropAll(lane.name);
      session.done(`${count} dropped from ${lane.name}.`, { lane: lane.name, dropped: count });
    },
  );

  addCommand(group, 'pause', 'stop workers from taking jobs of a lane; running jobs finish', ['lookup'])
    .argument(...laneArgument)
    .action(async ({ name, kind }: Lane) => {
      const queues = await session.queues();
      const effect = kind === 'events' ? 'Its events will wait.' : 'Its callers will get no reply.';
      await session.confirm(`Pause ${name}? ${effect}`);
      await record(name, { paused: (await queues.state(name)).paused }, { paused: true });
      await queues.pause(name);
      session.done(`${name} is paused.`, { lane: name, paused: true });
    });

  addCommand(group, 'resume', 'let workers take jobs of a lane again', ['lookup'])
    .argument(...laneArgument)
    .action(async ({ name }: Lane) => {
      const queues = await session.queues();
      await record(name, { paused: (await queues.state(name)).paused }, { paused: false });
      await queues.resume(name);
      session.done(`${name} is served again.`, { lane: name, paused: false });
    });

  addKeysCommand(group, session);

  /** Call it before the change: the queue cannot join a transaction of the database. */
  async function record(target: string, before: Row, after?: Row): Promise<void> {
    await session.audit(await session.database(), { target, before, after });
  }

  /** A command on one parked job, or on all of a lane. */
  function addParkedCommand(
    command: Command,
    run: (queues: QueueAdmin, lane: Lane, what: string, job: string | undefined) => Promise<void>,
  ): void {
    command
      .argument(...laneArgument)
      .argument('[job]', 'id of the job')
      .option('--all', 'all parked jobs of the lane')
      .action(async (lane: Lane, job: string | undefined, { all }: { all?: true }) => {
        if ((job === undefined) === (all === undefined)) invalid('Give the id of a job, or --all.');
        const what = job === undefined ? `all parked jobs of ${lane.name}` : `job ${job} of ${lane.name}`;
        await run(await session.queues(), lane, what, job);
      });
  }
}

async function once(found: Promise<boolean>, lane: Lane, job: string): Promise<number> {
  if (await found) return 1;
  throw notParked(lane, job);
}

const notParked = ({ name }: Lane, job: string): CommandError =>
  new CommandError(`No job ${job} is parked in ${name}: \`pnpm admin queues parked ${name}\` lists them.`);

/** For the audit log: whose requests a job contains, or the number of all parked jobs. */
async function describeParked(queues: QueueAdmin, lane: Lane, job: string | undefined): Promise<Row> {
  if (job === undefined) return { parked: (await queues.state(lane.name)).failed };
  const found = await queues.find(lane.name, job);
  if (!found?.parkedAt) throw notParked(lane, job);
  const { contracts, requests, organisations } = jobRow(found);
  return { contracts, requests, organisations };
}

const stateRow = ({ lane, waiting, active, delayed, failed, oldestSeconds, paused }: LaneState): Row => ({
  lane,
  waiting,
  active,
  delayed,
  parked: failed,
  oldest_seconds: Math.round(oldestSeconds),
  paused,
});

const jobRow = ({ id, reason, starts, requests, addedAt, parkedAt }: JobView): Row => ({
  job: id,
  contracts: [...new Set(requests.map(({ name }) => name))],
  requests: requests.map((request) => request.id),
  organisations: [...new Set(requests.flatMap(({ organisation }) => organisation ?? []))],
  reason,
  starts,
  added: addedAt,
  parked: parkedAt,
});
