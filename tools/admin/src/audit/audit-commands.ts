import { type AuditFilter, findOrganisation, listAuditEntries } from '@gangan/management';
import type { Command } from 'commander';
import { pastTime, wholeNumber } from '../session/arguments.js';
import { StoredJson } from '../session/print.js';
import { addExamples, type AdminSession } from '../session/session.js';
import { addCheckCommand, addHeadsCommand, addPruneCommand } from './chain-commands.js';

export function addCommands(group: Command, session: AdminSession): void {
  addListCommand(group, session);
  addHeadsCommand(group, session);
  addCheckCommand(group, session);
  addPruneCommand(group, session);
}

/** `audit` without a command lists, too. */
function addListCommand(group: Command, session: AdminSession): void {
  const command = group.command('list', { isDefault: true }).description('list entries, the newest first');
  addExamples(command, ['', '--organisation acme/live --since 30d', '--by ada --action "keys issue" --json'])
    .option('--organisation <organisation>', 'only changes of this organisation')
    .option('--by <actor>', 'only changes of this actor')
    .option('--action <command>', 'only this command, such as "keys issue", or all of a group, such as keys')
    .option('--since <when>', 'only since then, such as 6h (ago) or 2026-11-15', pastTime)
    .option('--limit <n>', 'at most this many, the newest', wholeNumber(1, 10_000), 100)
    .action(async ({ organisation, ...filter }: AuditFilter & { readonly organisation?: string }) => {
      const database = await session.database();
      const owner = organisation === undefined ? undefined : await findOrganisation(database, organisation);
      const entries = await listAuditEntries(database, { ...filter, organisationId: owner?.id });
      session.list(
        entries.map(({ createdAt, before, after, ...entry }) => ({
          time: createdAt,
          actor: entry.actor,
          database_user: entry.databaseUser,
          action: entry.action,
          target: entry.target,
          organisation: entry.organisationId,
          before: before === null ? undefined : new StoredJson(before),
          after: after === null ? undefined : new StoredJson(after),
        })),
        'There are no such entries.',
      );
    });
}
