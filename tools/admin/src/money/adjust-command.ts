import { adjust, insufficientBalance } from '@gangan/billing';
import type { Command } from 'commander';
import { kobo, words } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import { CommandError } from '../session/command-error.js';
import { findOrganisation } from '../organisations/find-organisation.js';
import { reference, refuseOther, subjectOf } from './reference.js';

export function addAdjustCommand(command: Command, session: AdminSession): void {
  command
    .argument('<organisation>')
    .argument('<naira>', 'such as 250 or -99.50', kobo)
    .requiredOption('--note <text>', 'why; shown in the ledger', words(255))
    .option(...reference, words(255))
    .addHelpText('after', '\nExample:\n  pnpm admin adjust acme/live -99.50 --note "Paid twice by mistake"')
    .action(async (given: string, amount: bigint, options: { reference?: string; note: string }) => {
      if (amount === 0n) throw new CommandError('Nothing to adjust by.');
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      const { text } = new Money(amount);
      await session.confirm(`Adjust the balance of ${label} by ${text} naira?`);
      const subjectId = subjectOf(id, options.reference);
      const done = await adjust(database, {
        organisationId: id,
        subjectId,
        kobo: amount,
        note: options.note,
      });
      if (!done.ok) throw insufficientBalance(-amount, done.available);
      refuseOther(amount, done.balance - done.balanceBefore);
      const balance = new Money(done.balance);
      session.done(
        done.repeated
          ? `This adjustment was booked before, nothing moved; the balance after it was ${balance.text}.`
          : `${label} was adjusted by ${text}; its balance is ${balance.text}.`,
        { organisation: id, adjustment: subjectId, booked: !done.repeated, balance },
      );
    });
}
