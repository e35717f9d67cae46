import { backUp, backupSummary } from '@gangan/management';
import { readBackup } from '@gangan/storage';
import type { Command } from 'commander';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { databaseUrlOf } from '../session/stores.js';
import { accessOf, allowUnauthenticated, type ReadChoices, sealerOf, writeNewKey } from './backup-access.js';
import { addRestoreCommand } from './restore-command.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'create',
    'write all data of the database, as it is at one moment, to a file',
    ['', '/backups/gangan-monday.backup'],
    `The apps may run meanwhile. The file is encrypted with BACKUP_KEY and readable only for its owner (0600). It does not contain
BACKUP_KEY, DATA_MASTER_KEY, OTP_PEPPER and QUEUE_MASTER_KEY: keep them in another place, because a restore needs them. Jobs of the queues
are not in the backup; the apps continue from the rows. DATABASE_URL must be the owner of the tables.`,
  )
    .argument('[file]', 'a new file; by default gangan-<time>.backup in this folder')
    .action(async (given: string | undefined) => {
      const url = await databaseUrlOf(session.settings);
      const sealer = await sealerOf(session);
      const file = given ?? `gangan-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`;
      const access = await session.access();
      const progress = new Progress(session.terminal, 1, 'rows');
      const made = await backUp(access, { url, file, sealer }, (rows, estimated) => {
        progress.reach(rows, rows / Math.max(1, estimated));
      }).finally(() => {
        progress.end();
      });
      session.remark(
        'BACKUP_KEY, DATA_MASTER_KEY, OTP_PEPPER and QUEUE_MASTER_KEY are not in the backup: keep them in another place.',
      );
      const row = { file, bytes: made.bytes, key_id: sealer.sealingId, ...backupSummary(made) };
      session.done(`${file} has ${row.rows} rows of ${row.tables} tables (${row.bytes} bytes).`, row);
    });

  addCommand(
    group,
    'check',
    'read a backup, verify that it was not changed, and list what is in it; needs no database',
    ['gangan-monday.backup'],
  )
    .argument('<file>')
    .addOption(allowUnauthenticated())
    .action(async (file: string, choices: ReadChoices) => {
      const backup = await readBackup(file, await accessOf(session, choices));
      session.show({
        file,
        complete: true,
        authenticated: backup.isAuthenticated,
        ...backupSummary(backup),
        contents: Object.entries(backup.rows).map(([table, rows]) => ({ table, rows })),
      });
    });

  addCommand(
    group,
    'key',
    'write a new BACKUP_KEY to a file',
    ['/etc/gangan/secrets/backup/backup_key'],
    `Set BACKUP_KEY_FILE to the file. Keep a copy in another place than the backups: without the key they cannot be restored,
and with it they can be read and forged. docs/operate/operations.md says how to replace a key ("The key of the backups").`,
  )
    .argument('<file>', 'a new file, readable only for its owner')
    .action(async (file: string) => {
      const { sealingId } = await writeNewKey(file);
      session.done(`${file} has a new key with the id ${sealingId}. Keep a copy in another place.`, {
        file,
        key_id: sealingId,
      });
    });

  addRestoreCommand(group, session);
}
