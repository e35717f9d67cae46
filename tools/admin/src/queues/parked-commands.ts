import type { Lane } from '@gangan/queue';
import { type Command, InvalidArgumentError } from 'commander';
import type { AdminSession } from '../session/session.js';
import { CommandError } from '../session/command-error.js';
import { lane } from './lanes.js';

interface Which {
  readonly all?: true;
}

/** What is done about jobs that were put aside. */
export function addParkedCommands(group: Command, session: AdminSession): void {
  group
    .command('replay')
    .description('run again what was put aside')
    .argument('<lane>', 'as `queues list` shows them', lane)
    .argument('[job]', 'its id')
    .option('--all', 'all that is parked in the lane')
    .addHelpText(
      'after',
      `
An event simply runs again, with all its attempts. A request runs without a caller: its own was told that it failed,
or gave up waiting, and may have tried again since. Nobody gets the answer; what it creates has the id that was
made for it, so that a retry with the same Idempotency-Key meets it.

Examples:
  pnpm admin queues replay lookup 17
  pnpm admin queues replay callback-events --all`,
    )
    .action(async (chosen: Lane, job: string | undefined, { all }: Which) => {
      const what = targetOf(chosen, job, all);
      const queues = await session.queues();
      if (chosen.kind !== 'events') {
        await session.confirm(`Run ${what} without a caller? Whoever asked may have tried again since.`);
      }
      const count =
        job === undefined
          ? await queues.replayAll(chosen.name)
          : await once(queues.replay(chosen.name, job), chosen, job);
      session.done(`${count} put back into ${chosen.name}; see the worker's log for what becomes of it.`, {
        lane: chosen.name,
        replayed: count,
      });
    });

  group
    .command('drop')
    .description('forget what was put aside')
    .argument('<lane>', 'as `queues list` shows them', lane)
    .argument('[job]', 'its id')
    .option('--all', 'all that is parked in the lane')
    .addHelpText(
      'after',
      '\nExamples:\n  pnpm admin queues drop lookup 17\n  pnpm admin queues drop lookup --all --yes',
    )
    .action(async (chosen: Lane, job: string | undefined, { all }: Which) => {
      const what = targetOf(chosen, job, all);
      const queues = await session.queues();
      await session.confirm(`Drop ${what}? This cannot be undone.`);
      const count =
        job === undefined
          ? await queues.dropAll(chosen.name)
          : await once(queues.drop(chosen.name, job), chosen, job);
      session.done(`${count} dropped from ${chosen.name}.`, { lane: chosen.name, dropped: count });
    });
}

function targetOf({ name }: Lane, job: string | undefined, all: true | undefined): string {
  if ((job === undefined) === (all === undefined)) throw new InvalidArgumentError('Name one job, or --all.');
  return job === undefined ? `all that is parked in ${name}` : `job ${job} of ${name}`;
}

async function once(done: Promise<boolean>, { name }: Lane, job: string): Promise<number> {
  if (await done) return 1;
  throw new CommandError(
    `No job ${job} is parked in ${name}: \`pnpm admin queues parked ${name}\` lists those that are.`,
  );
}
