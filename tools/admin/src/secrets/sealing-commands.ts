import { countSealed, reseal, sealedTables } from '@gangan/storage';
import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';

export function addStatusCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'status',
    'count the stored secrets by the key that sealed them',
    undefined,
    'The first key is derived from the first one of DATA_MASTER_KEY; earlier ones are derived from the second.\nA secret of an unknown key cannot be opened. Exits with 1 if `reseal` has something to do, or a key is unknown.',
  ).action(async () => {
    const [database, sealer] = [await session.database(), await session.sealer()];
    const rows = [];
    for (const table of sealedTables) {
      const found = await countSealed(database, sealer, table);
      if (!found) continue;
      const { notSealed, firstKey, earlierKeys, unknownKeys } = found;
      if (notSealed + earlierKeys + unknownKeys > 0) session.exitCode = 1;
      rows.push({
        stored: table.column,
        not_sealed: notSealed,
        first_key: firstKey,
        earlier_keys: earlierKeys,
        unknown_keys: unknownKeys,
      });
    }
    session.list(rows, '');
  });
}

export function addResealCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'reseal',
    'seal all stored secrets with keys of the first DATA_MASTER_KEY',
    undefined,
    `The apps may run meanwhile, if their DATA_KEYS are derived from it. Safe to interrupt and to repeat. Skipped secrets were in use:
run it again. Damaged ones do not belong to their row or were altered: they stay as they are.`,
  ).action(async () => {
    const [database, sealer] = [await session.database(), await session.sealer()];
    const rows = [];
    for (const table of sealedTables) {
      const done = await reseal(database, sealer, table, {
        onProgress: ({ checked, resealed }) => {
          session.remark(`${table.column}: ${checked} checked, ${resealed} sealed`);
        },
        onFirstChange: (transaction) => session.audit(transaction, { target: table.column }),
      });
      if (done.skipped + done.damaged > 0) session.exitCode = 1;
      rows.push({ stored: table.column, ...done });
    }
    session.list(rows, '');
  });
}
