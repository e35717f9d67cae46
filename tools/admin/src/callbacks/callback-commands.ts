import type { Command } from 'commander';
import { duration } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { findOrganisation } from '../organisations/find-organisation.js';
import { countFailures, failingHosts, recoverFailures } from './callback.repository.js';
import { addListenCommand } from './listen-command.js';
import { pastMoment } from './past-moment.js';

const minuteMs = 60_000;

export function addCallbackCommands(group: Command, session: AdminSession): void {
  group
    .command('failing')
    .description('hosts that take nothing, though they are tried: tell their owners')
    .option('--for <time>', 'only those that have failed for so long', duration, duration('1h'))
    .addHelpText('after', '\nExample:\n  pnpm admin callbacks failing --for 1d')
    .action(async (options: { for: number }) => {
      const hosts = await failingHosts(await session.database(), options.for);
      session.list(
        hosts.map(({ organisation, host, failingSince, lastTried, waiting, lastResult }) => ({
          organisation,
          host,
          failing_since: failingSince,
          last_tried: lastTried,
          last_result: lastResult ?? undefined,
          waiting,
        })),
        'Every host takes something now and then.',
      );
    });

  group
    .command('recover')
    .description('send callbacks again that failed, after a consumer was away for too long')
    .requiredOption(
      '--since <when>',
      'that failed since then: 6h ago, or such as 2026-11-15T09:30',
      pastMoment,
    )
    .option('--organisation <organisation>', 'of this one only')
    .option(
      '--over <time>',
      'spread over so long, so that they do not come all at once',
      duration,
      duration('10m'),
    )
    .addHelpText(
      'after',
      `
They go to their URLs with the same id and body, and have all their attempts again. Those that were answered with 410
stay as they are.

Examples:
  pnpm admin callbacks recover --since 6h
  pnpm admin callbacks recover --since 2026-11-15T09:30 --organisation acme/live --over 1h`,
    )
    .action(async ({ since, organisation, over }: { since: Date; organisation?: string; over: number }) => {
      const database = await session.database();
      const whose = organisation === undefined ? undefined : await findOrganisation(database, organisation);
      const failures = { since, until: new Date(), organisationId: whose?.id };
      const { callbacks, hosts } = await countFailures(database, failures);
      if (callbacks > 0) {
        const [from, time] = [whose?.label ?? 'all organisations', `${over / minuteMs} minutes`];
        await session.confirm(
          `Send ${callbacks} callbacks of ${from} to ${hosts} hosts again, over ${time}?`,
        );
      }
      const recovered = await recoverFailures(database, failures, over);
      session.done(`${recovered} callbacks are due again.`, { recovered });
    });

  addListenCommand(group, session);
}
