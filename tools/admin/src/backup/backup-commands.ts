import { createBackup, type CreatedBackup, readBackup } from '@gangan/database';
import type { Command } from 'commander';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { databaseUrlOf } from '../session/stores.js';
import { addRestoreCommand } from './restore-command.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'create',
    'write all data of the database, as it is at one moment, to a file',
    ['', '/backups/gangan-monday.backup'],
    `The apps may run meanwhile. The file contains customer data and is readable only for its owner (0600). It does not
contain DATA_KEY, OTP_PEPPER and QUEUE_MASTER_KEY: keep them in another place, because a restore needs them. Jobs of the queues are not
in the backup; the apps continue from the rows. DATABASE_URL must be the owner of the tables.`,
  )
    .argument('[file]', 'a new file; by default gangan-<time>.backup in this folder')
    .action(async (given: string | undefined) => {
      const url = await databaseUrlOf(session.settings);
      const file = given ?? `gangan-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`;
      // First, so that the backup has it: the file contains everything.
      await session.audit(await session.database(), { target: file.slice(-255) });
      const progress = new Progress(session.terminal, 1, 'rows');
      const made = await createBackup(url, file, (rows, estimated) => {
        progress.reach(rows, rows / Math.max(1, estimated));
      }).finally(() => {
        progress.end();
      });
      session.remark(
        'DATA_KEY, OTP_PEPPER and QUEUE_MASTER_KEY are not in the backup: keep them in another place.',
      );
      const row = { file, bytes: made.bytes, ...summaryOf(made) };
      session.done(`${file} has ${row.rows} rows of ${row.tables} tables (${row.bytes} bytes).`, row);
    });

  addCommand(group, 'check', 'read a backup and compare it with its checksum; needs no database', [
    'gangan-monday.backup',
  ])
    .argument('<file>')
    .action(async (file: string) => {
      session.show({ file, complete: true, ...summaryOf(await readBackup(file)) });
    });

  addRestoreCommand(group, session);
}

export const summaryOf = ({ manifest, rows }: Omit<CreatedBackup, 'bytes'>) => ({
  created: manifest.createdAt,
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  tables: manifest.tables.length,
  last_migration: manifest.migrations.at(-1)?.name,
  data_keys: [...manifest.dataKeyIds],
});
