import { topUp } from '@gangan/billing';
import type { Command } from 'commander';
import { atLeastOneKobo, words } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import { findOrganisation } from '../organisations/find-organisation.js';
import { reference, refuseOther, subjectOf } from './reference.js';

export function addTopUpCommand(command: Command, session: AdminSession): void {
  command
    .argument('<organisation>')
    .argument('<naira>', 'such as 50000 or 99.50', atLeastOneKobo)
    .option(...reference, words(255))
    .option('--note <text>', 'shown in the ledger', words(255))
    .addHelpText(
      'after',
      '\nExample:\n  pnpm admin top-up acme/live 50000 --reference INV-1042 --note "Bank transfer"',
    )
    .action(async (given: string, amount: bigint, options: { reference?: string; note?: string }) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      const payment = {
        organisationId: id,
        subjectId: subjectOf(id, options.reference),
        kobo: amount,
        ...(options.note !== undefined && { note: options.note }),
      };
      const [receipt] = await topUp(database, [payment]);
      if (!receipt) return;
      refuseOther(amount, receipt.kobo);
      const balance = new Money(receipt.balance);
      session.done(
        receipt.moved
          ? `${label} received ${new Money(amount).text}; its balance is ${balance.text}.`
          : `This payment was booked before, nothing moved; the balance after it was ${balance.text}.`,
        { organisation: id, payment: payment.subjectId, booked: receipt.moved, balance },
      );
    });
}
