import type { Command } from 'commander';
import { duration, pastTime } from '../session/arguments.js';
import { findOrganisation } from '@gangan/management';
import { addCommand, type AdminSession } from '../session/session.js';
import { countFailures, findFailingHosts, listEndpoints, recoverFailures } from './callback.repository.js';
import { addListenCommand } from './listen-command.js';
import { addRestrictCommands } from './restrict-command.js';

const minuteMs = 60_000;

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'failing',
    'list hosts that accept no callbacks, from their first failure on, and why; inform their owners',
    ['', '--for 1d'],
  )
    .option('--for <time>', 'only hosts that have been failing for at least this time', duration, 0)
    .action(async (options: { for: number }) => {
      const database = await session.database();
      session.list(await database.run(findFailingHosts, options.for), 'No host is failing.');
    });

  addCommand(group, 'endpoints', 'list the endpoints of organisations; the secrets are not shown', [
    '--organisation acme/live',
  ])
    .option('--organisation <organisation>', 'only of this organisation')
    .action(async ({ organisation }: { organisation?: string }) => {
      const database = await session.database();
      const owner = organisation === undefined ? undefined : await findOrganisation(database, organisation);
      session.list(await database.run(listEndpoints, owner?.id), 'There are no endpoints.');
    });

  addCommand(
    group,
    'recover',
    'send failed callbacks again, after a consumer was down for too long',
    ['--since 6h', '--since 2026-11-15T09:30 --organisation acme/live --over 1h'],
    `They are sent to their URLs with the same id and body, and get all their attempts again. Callbacks that got a 410
response are not sent again.`,
  )
    .requiredOption('--since <when>', 'failed since then, such as 6h (ago) or 2026-11-15T09:30', pastTime)
    .option('--organisation <organisation>', 'only of this organisation')
    .option('--over <time>', 'spread the callbacks over this time', duration, duration('10m'))
    .action(async ({ since, organisation, over }: { since: Date; organisation?: string; over: number }) => {
      const database = await session.database();
      const owner = organisation === undefined ? undefined : await findOrganisation(database, organisation);
      const failures = { since, until: new Date(), organisationId: owner?.id };
      const [{ callbacks, hosts } = { callbacks: 0, hosts: 0 }] = await database.run(countFailures, failures);
      if (callbacks > 0) {
        const [from, time] = [owner?.label ?? 'all organisations', `${over / minuteMs} minutes`];
        await session.confirm(
          `Send ${callbacks} callbacks of ${from} to ${hosts} hosts again, over ${time}?`,
        );
      }
      const recovered = await recoverFailures(database, failures, over, (transaction) =>
        session.audit(transaction, {
          organisationId: owner?.id,
          target: owner?.label ?? 'all organisations',
          after: { callbacks, hosts, since, over_minutes: over / minuteMs },
        }),
      );
      session.done(`${recovered} callbacks are due again.`, { recovered });
    });

  addRestrictCommands(group, session);
  addListenCommand(group, session);
}
