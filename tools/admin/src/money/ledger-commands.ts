import { checkLedger, type LedgerFinding } from '@gangan/billing';
import type { Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';

export function addLedgerCommands(group: Command, session: AdminSession): void {
  group
    .command('check')
    .description(
      'hold every rule against the whole ledger; exit code 1 when one is broken, but not for a warning',
    )
    .addHelpText('after', '\nExample:\n  pnpm admin ledger check')
    .action(async () => {
      const { clean, findings, warnings, totals } = await checkLedger(await session.database());
      if (!clean) session.exitCode = 1;
      session.show({
        clean,
        totals: totals.map(({ kind, transactions, kobo: moved }) => ({
          kind,
          transactions: Number(transactions),
          naira: new Money(moved),
        })),
        findings: findings.map(rowOf),
        warnings: warnings.map(rowOf),
      });
    });
}

const rowOf = ({ rule, organisationId, message }: LedgerFinding) => ({
  rule,
  organisation: organisationId,
  message,
});
