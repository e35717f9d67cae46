import { allContracts } from '@gangan/contracts';
import {
  describeParked,
  dropParked,
  findJob,
  lanes,
  listLanes,
  listParked,
  openJob,
  type QueueAccess,
  replayParked,
  setPaused,
} from '@gangan/management';
import { deriveQueueKeys, type Lane } from '@gangan/queue';
import type { Command } from 'commander';
import { addAppKeysCommand } from '../session/app-keys-command.js';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { configuredKeys, queueKeysOf } from '../session/stores.js';

const maxListed = 100;

const laneArgument = ['<lane>', 'a lane of `queues list`', parseLane] as const;

function parseLane(text: string): Lane {
  const found = lanes.find(({ name }) => name === text);
  return found ?? invalid(`The lanes are ${lanes.map(({ name }) => name).join(', ')}.`);
}

export function addCommands(group: Command, session: AdminSession): void {
  /** Opens the queues first, so that they are named beside the database. */
  const access = async (): Promise<QueueAccess> => {
    const queues = await session.queues();
    return { queues, ...(await session.access()) };
  };

  addCommand(group, 'list', 'list the lanes with their waiting and parked jobs').action(async () => {
    session.list(await listLanes(await session.queues()), 'There are no lanes.');
  });

  addCommand(group, 'parked', `list the oldest ${maxListed} parked jobs of a lane`, ['lookup'])
    .argument(...laneArgument)
    .action(async (lane: Lane) => {
      const jobs = await listParked(await session.queues(), lane, maxListed);
      session.list(jobs, `No job is parked in ${lane.name}.`);
    });

  const examples = ['lookup 17', 'lookup 17 --open'];
  addCommand(group, 'show', 'show one job; its content stays sealed unless you --open it', examples)
    .argument(...laneArgument)
    .argument('<job>', 'id of the job')
    .option('--open', 'also show its content: messages, numbers, tokens. Needs QUEUE_MASTER_KEY')
    .action(async (lane: Lane, id: string, { open }: { open?: true }) => {
      if (!open) {
        session.show(await findJob(await session.queues(), lane, id));
        return;
      }
      const { carries, ...job } = await openJob(
        await access(),
        lane,
        id,
        await queueKeysOf(session.settings),
      );
      session.remark('Warning: this is customer data. Do not copy it into logs or tickets.');
      session.show({ ...job, carries: carries.map((parcel) => ({ parcel: JSON.stringify(parcel) })) });
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
    async (on, lane, what, job) => {
      if (lane.kind !== 'events')
        await session.confirm(`Run ${what} without a caller? The caller may have sent the request again.`);
      const keys = lane.kind === 'events' ? undefined : await queueKeysOf(session.settings);
      const { replayed, unopened } = await replayParked(on, lane, job, keys);
      session.done(`${replayed} put back into ${lane.name}; the log of the worker shows the outcome.`, {
        ...{ lane: lane.name, replayed },
        ...(unopened > 0 && { unopened }),
      });
      if (unopened === 0) return;
      session.remark(
        `${unopened} could not be opened and stay parked: check QUEUE_MASTER_KEY, and drop those of version 0.2.`,
      );
      session.exitCode = 1;
    },
  );

  addParkedCommand(
    addCommand(group, 'drop', 'delete parked jobs', ['lookup 17', 'lookup --all --yes']),
    async (on, lane, what, job) => {
      await session.confirm(`Drop ${what}? This cannot be undone.`);
      const count = await dropParked(on, lane, job);
      session.done(`${count} dropped from ${lane.name}.`, { lane: lane.name, dropped: count });
    },
  );

  addCommand(group, 'pause', 'stop workers from taking jobs of a lane; running jobs finish', ['lookup'])
    .argument(...laneArgument)
    .action(async (lane: Lane) => {
      const { name, kind } = lane;
      const on = await access();
      const effect = kind === 'events' ? 'Its events will wait.' : 'Its callers will get no reply.';
      await session.confirm(`Pause ${name}? ${effect}`);
      await setPaused(on, lane, true);
      session.done(`${name} is paused.`, { lane: name, paused: true });
    });

  addCommand(group, 'resume', 'let workers take jobs of a lane again', ['lookup'])
    .argument(...laneArgument)
    .action(async (lane: Lane) => {
      await setPaused(await access(), lane, false);
      session.done(`${lane.name} is served again.`, { lane: lane.name, paused: false });
    });

  addAppKeysCommand(group, session, {
    kind: 'QUEUE',
    description: 'print the queue keys of each app',
    keeping: 'keep it where only this command reads it',
    derivation: async () => {
      const masters = await configuredKeys(session.settings, 'queueMasterKey');
      const earlier = await configuredKeys(session.settings, 'earlierQueueKey');
      if (masters.some((master) => earlier.includes(master)))
        throw new CommandError(
          'QUEUE_MASTER_KEY is the QUEUE_KEY of version 0.2, which every app has: use a new key, from `openssl rand -base64 32`.',
        );
      return (app) => deriveQueueKeys(masters, app, allContracts);
    },
  });

  /** A command on one parked job, or on all of a lane. */
  function addParkedCommand(
    command: Command,
    run: (on: QueueAccess, lane: Lane, what: string, job: string | undefined) => Promise<void>,
  ): void {
    command
      .argument(...laneArgument)
      .argument('[job]', 'id of the job')
      .option('--all', 'all parked jobs of the lane')
      .action(async (lane: Lane, job: string | undefined, { all }: { all?: true }) => {
        if ((job === undefined) === (all === undefined)) invalid('Give the id of a job, or --all.');
        await run(await access(), lane, describeParked(lane, job), job);
      });
  }
}
