import type { JobView, Lane, LaneState } from '@gangan/queue';
import type { Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import type { Row } from '../session/print.js';
import { CommandError } from '../session/command-error.js';
import { addParkedCommands } from './parked-commands.js';
import { lane, lanes } from './lanes.js';

const mostListed = 100;

export function addQueueCommands(group: Command, session: AdminSession): void {
  group
    .command('list')
    .description('every lane: how much waits, for how long, and what was put aside')
    .addHelpText('after', '\nExample:\n  pnpm admin queues list')
    .action(async () => {
      const queues = await session.queues();
      const states = await Promise.all(lanes.map(({ name }) => queues.state(name)));
      session.list(states.map(stateRow), 'There is no lane.');
    });

  group
    .command('parked')
    .description(`the oldest ${mostListed} jobs of a lane that were put aside`)
    .argument('<lane>', 'as `queues list` shows them', lane)
    .addHelpText('after', '\nExample:\n  pnpm admin queues parked lookup')
    .action(async ({ name }: Lane) => {
      const queues = await session.queues();
      session.list((await queues.parked(name, 0, mostListed)).map(jobRow), `Nothing is parked in ${name}.`);
    });

  group
    .command('show')
    .description('one job; what it carries stays sealed unless you --open it')
    .argument('<lane>', 'as `queues list` shows them', lane)
    .argument('<job>', 'its id')
    .option('--open', 'show also what it carries: content, numbers, tokens. Needs QUEUE_KEY')
    .addHelpText(
      'after',
      '\nExamples:\n  pnpm admin queues show lookup 17\n  pnpm admin queues show lookup 17 --open',
    )
    .action(async ({ name }: Lane, id: string, { open }: { open?: true }) => {
      const queues = await session.queues();
      const job = await queues.find(name, id);
      if (!job) throw new CommandError(`There is no job ${id} in ${name}.`);
      if (!open) {
        session.show(jobRow(job));
        return;
      }
      const parcels = (await queues.openSealed(name, id, await session.queueKeys())) ?? [];
      session.remark('Careful: this shows what customers sent. Keep it out of logs and tickets.');
      session.show({
        ...jobRow(job),
        carries: parcels.map((parcel) => ({ parcel: JSON.stringify(parcel) })),
      });
    });

  addParkedCommands(group, session);

  group
    .command('pause')
    .description('let workers take nothing more from a lane; what they have begun they finish')
    .argument('<lane>', 'as `queues list` shows them', lane)
    .addHelpText('after', '\nExample:\n  pnpm admin queues pause lookup')
    .action(async ({ name, kind }: Lane) => {
      const queues = await session.queues();
      const effect = kind === 'events' ? 'Its events will wait.' : 'Its callers will get no answer.';
      await session.confirm(`Pause ${name}? ${effect}`);
      await queues.pause(name);
      session.done(`${name} is paused.`, { lane: name, paused: true });
    });

  group
    .command('resume')
    .description('let workers take jobs again')
    .argument('<lane>', 'as `queues list` shows them', lane)
    .addHelpText('after', '\nExample:\n  pnpm admin queues resume lookup')
    .action(async ({ name }: Lane) => {
      await (await session.queues()).resume(name);
      session.done(`${name} is served again.`, { lane: name, paused: false });
    });
}

const stateRow = ({
  lane: name,
  waiting,
  active,
  delayed,
  failed,
  oldestSeconds,
  paused,
}: LaneState): Row => ({
  lane: name,
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
