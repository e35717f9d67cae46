import {
  countFailedCallbacks,
  listEndpoints,
  listFailingHosts,
  recoverCallbacks,
  refusedEndpoints,
  setRule,
} from '@gangan/management';
import type { Command } from 'commander';
import { duration, pastTime } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addListenCommand } from './listen-command.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'failing',
    'list hosts that accept no callbacks, from their first failure on, and why; inform their owners',
    ['', '--for 1d'],
  )
    .option('--for <time>', 'only hosts that have been failing for at least this time', duration, 0)
    .action(async (options: { for: number }) => {
      session.list(await listFailingHosts(await session.database(), options.for), 'No host is failing.');
    });

  addCommand(group, 'endpoints', 'list the endpoints of organisations; the secrets are not shown', [
    '--organisation acme/live',
  ])
    .option('--organisation <organisation>', 'only of this organisation')
    .action(async ({ organisation }: { organisation?: string }) => {
      const owner = organisation === undefined ? undefined : await session.organisation(organisation);
      session.list(await listEndpoints(await session.database(), owner), 'There are no endpoints.');
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
    .action(
      async ({ since, organisation: given, over }: { since: Date; organisation?: string; over: number }) => {
        const organisation = given === undefined ? undefined : await session.organisation(given);
        const failed = { since, until: new Date(), organisation };
        const { callbacks, hosts } = await countFailedCallbacks(await session.database(), failed);
        if (callbacks > 0) {
          const [from, time] = [organisation?.label ?? 'all organisations', `${over / 60_000} minutes`];
          await session.confirm(
            `Send ${callbacks} callbacks of ${from} to ${hosts} hosts again, over ${time}?`,
          );
        }
        const recovered = await recoverCallbacks(await session.access(), failed, over);
        session.done(`${recovered} callbacks are due again.`, { recovered });
      },
    );

  addCommand(
    group,
    'restrict <organisation>',
    'send callbacks of an organisation to https URLs only, in production, and never to ports that browsers block',
    undefined,
    'Callbacks of new live organisations are restricted. Requests with another URL get 400; callbacks that were accepted before fail with `refused_url`. Gateways follow within 5 s.',
  ).action(async (given: string) => {
    const { database, ...organisation } = await session.organisation(given);
    const refused = await refusedEndpoints(database, organisation);
    if (refused.length > 0) {
      const endpoints = refused.map(({ id, url }) => `${url} (${id})`).join(', ');
      await session.confirm(
        `These endpoints of ${organisation.label} would get nothing until their URLs are changed: ${endpoints}. Continue?`,
      );
    }
    await setRule(await session.access(), organisation, 'restrictedCallbacks', true);
    const row = { organisation: organisation.id, restricted_callbacks: true };
    session.done(`Callbacks of ${organisation.label} are restricted.`, row);
  });

  addCommand(group, 'free <organisation>', 'send callbacks of an organisation to any public URL').action(
    async (given: string) => {
      const organisation = await session.organisation(given);
      await setRule(await session.access(), organisation, 'restrictedCallbacks', false);
      const row = { organisation: organisation.id, restricted_callbacks: false };
      session.done(`Callbacks of ${organisation.label} may go to any public URL.`, row);
    },
  );

  addListenCommand(group, session);
}
