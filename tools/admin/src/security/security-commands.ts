import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { checks } from './checks.js';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'review',
    'list what a new installation would refuse: settings, keys and endpoints from before the present defaults',
    ['', '--json'],
    `Nothing is changed. Each line has the command that mends it; run it with the variables of the apps. Exits with 1 if
there is a finding.`,
  ).action(async () => {
    const context = { database: await session.database(), settings: session.settings };
    const rows = [];
    for (const [check, find] of Object.entries(checks))
      for (const { who, what, why, mend } of await find(context)) rows.push({ check, who, what, why, mend });
    if (rows.length > 0) session.exitCode = 1;
    session.list(rows, 'No finding: a new installation would accept all of this.');
  });
}
