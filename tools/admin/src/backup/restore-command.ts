import { backupSummary, checkRestored, logRestore } from '@gangan/management';
import { redactUrl } from '@gangan/protocol';
import type { DataSealer } from '@gangan/sealing';
import { grantRoles, type RestoredBackup, restoreBackup } from '@gangan/storage';
import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { databaseUrlOf } from '../session/stores.js';
import { accessOf, allowUnauthenticated, type ReadChoices } from './backup-access.js';

interface RestoreChoices extends ReadChoices {
  readonly keepActive?: true;
}

export function addRestoreCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'restore',
    'restore a backup into an empty database',
    ['gangan-monday.backup', 'gangan-monday.backup --keep-active --yes'],
    `Set DATABASE_URL to a new database, BACKUP_KEY and DATA_MASTER_KEY to those of the system that made the backup, and REDIS_URL
to an empty Redis if the apps use one. Stop all apps first. A backup of an earlier version is migrated; one of a newer version is refused.
Live organisations are suspended, so that nothing is sent twice before you have compared with the providers; activate
them with \`pnpm admin organisations activate\`. docs/operate/operations.md describes all steps ("Restore a backup").`,
  )
    .argument('<file>')
    .option('--keep-active', 'do not suspend live organisations: what waits is sent as soon as the apps run')
    .addOption(allowUnauthenticated())
    .action(async (file: string, choices: RestoreChoices) => {
      const url = await databaseUrlOf(session.settings);
      const sealer = await session.sealer();
      await refuseJobs(session);
      await session.confirm(`Restore ${file} into the database at ${redactUrl(url)}?`);
      const access = await accessOf(session, choices);
      const progress = new Progress(session.terminal, 1, 'rows');
      const restored = await restoreBackup(url, file, {
        ...access,
        dataKeyIds: sealer.openableIds.map((id) => id.toString('hex')),
        suspendLive: choices.keepActive !== true,
        report: (line) => {
          progress.remark(line);
        },
        onProgress: (rows, all) => {
          progress.reach(rows, rows / Math.max(1, all));
        },
      }).finally(() => {
        progress.end();
      });
      await finish(session, url, file, sealer, restored);
    });
}

/** Roles, the tables of the queue, the audit log, and checks of what was restored. */
async function finish(
  session: AdminSession,
  url: string,
  file: string,
  sealer: DataSealer,
  restored: RestoredBackup,
): Promise<void> {
  const { migrateQueue, queueGrants } = await import('@gangan/queue');
  const usesRedis = session.settings.redisUrl !== undefined;
  if (!usesRedis) await migrateQueue(url);
  const roles = await grantRoles(url, usesRedis ? undefined : queueGrants);
  const access = await session.access();
  await logRestore(access, file, restored);
  session.remark('Checking sealed secrets and the ledger');
  const { unreadable, ledgerFindings, waiting } = await checkRestored(access.database, sealer);
  if (ledgerFindings + unreadable.length > 0) session.exitCode = 1;
  session.show({
    file,
    authenticated: restored.isAuthenticated,
    ...backupSummary(restored),
    migrated: restored.migrated.length,
    suspended_organisations: restored.suspended.length,
    ...waiting,
    roles: roles.granted,
    sealed_secrets: unreadable.length === 0 ? 'all open' : `not all open: ${unreadable.join(', ')}`,
    ledger: ledgerFindings === 0 ? 'clean' : `${ledgerFindings} findings: run \`pnpm admin ledger check\``,
  });
  if (!roles.granted)
    session.remark(
      `The roles of the apps were not created (${roles.reason}): \`pnpm migrate\` prints the SQL.`,
    );
  if (restored.suspended.length > 0)
    session.remark(
      "The audit log has the ids of the suspended organisations: `pnpm admin audit --action 'backup restore' --json`.",
    );
  session.remark(
    session.exitCode === 0
      ? 'Restored. Run `pnpm migrate` with the passwords of the login users, then follow "Restore a backup" in docs/operate/operations.md.'
      : 'The rows were restored, but a check failed: do not start the apps before it is clear why.',
  );
}

/** Jobs of the system before would be run with rows that they do not belong to. */
async function refuseJobs(session: AdminSession): Promise<void> {
  if (session.settings.redisUrl === undefined) return;
  const { allContracts } = await import('@gangan/contracts');
  const { laneOf } = await import('@gangan/queue');
  const queues = await session.queues();
  const lanes = [...new Set(allContracts.map((contract) => laneOf(contract).name))];
  const states = await Promise.all(lanes.map((lane) => queues.state(lane)));
  const jobs = states.reduce(
    (sum, state) => sum + state.waiting + state.active + state.delayed + state.failed,
    0,
  );
  if (jobs > 0)
    throw new CommandError(
      `Redis has ${jobs} ${jobs === 1 ? 'job' : 'jobs'}, which belong to other rows than those of the backup. Empty it (redis-cli FLUSHDB) or set REDIS_URL to an empty one. Nothing was restored.`,
    );
}
