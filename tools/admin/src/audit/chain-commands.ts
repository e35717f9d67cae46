import { auditChains, checkAudit, pruneAuditLog } from '@gangan/management';
import type { Command } from 'commander';
import { pastTime } from '../session/arguments.js';
import { accessOf } from '../backup/backup-access.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { readHeads } from './heads-file.js';

export function addHeadsCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'heads',
    'print the last number and hash of each chain, to be kept where operators cannot change them',
    ['--json'],
  ).action(async () => {
    const chains = await auditChains(await session.database());
    session.list(
      chains.map(({ organisationId, number, hash }) => ({
        organisation: organisationId,
        number: Number(number),
        hash: hash.toString('hex'),
      })),
      'The audit log has no entries.',
    );
  });
}

export function addCheckCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'check',
    'find entries that were changed, removed or added; exits with 1 if there are any',
    ['', '--heads heads.json', '--heads gangan-monday.backup'],
    `Each entry has a hash that covers it and the entry before it of the same organisation. The hashes alone do not show
that the last entries were removed, or that all hashes were computed again: compare them with heads that were kept elsewhere.`,
  )
    .option(
      '--heads <file>',
      'what `audit heads --json` printed earlier, a log of the contacts worker, or a backup (with BACKUP_KEY)',
    )
    .action(async ({ heads: path }: { readonly heads?: string }) => {
      const heads = path === undefined ? [] : await readHeads(path, () => accessOf(session, {}));
      const checked = await checkAudit(await session.database(), heads);
      const { chains, entries, findings } = checked;
      if (findings.length > 0) session.exitCode = 1;
      const compared = path === undefined ? {} : { compared_heads: checked.heads };
      session.show({ clean: findings.length === 0, chains, entries, ...compared, findings });
    });
}

export function addPruneCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'prune',
    'remove entries that are older than a time, at least a year ago',
    ['2020-01-01'],
    `Checks stay clean: the number and hash of the last removed entry of each chain are kept. Heads from before it can no longer be
compared. DATABASE_URL must be the owner of the tables.`,
  )
    .argument('<before>', 'such as 2020-01-01', pastTime)
    .action(async (before: Date) => {
      await session.confirm(`Remove all entries of the audit log from before ${before.toISOString()}?`);
      const removed = await pruneAuditLog(await session.access(), before);
      session.done(`${removed} entries are removed.`, { removed });
    });
}
