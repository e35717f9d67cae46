import { reviewSecurity } from '@gangan/management';
import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { configuredKeys } from '../session/stores.js';
import { findingsOf } from './findings.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'review',
    'list what a new installation would refuse: settings, keys and endpoints from before the present defaults',
    ['', '--json'],
    `Nothing is changed. Each line has the command that mends it; run it with the variables of the apps. Exits with 1 if
there is a finding.`,
  ).action(async () => {
    const review = await reviewSecurity(await session.database());
    const hasBackupKey = (await configuredKeys(session.settings, 'backupKey')).length > 0;
    const rows = [...findingsOf(review, session.settings, hasBackupKey)];
    if (rows.length > 0) session.exitCode = 1;
    session.list(rows, 'No finding: a new installation would accept all of this.');
  });
}
