import { adjust, balancesOf, checkLedger, insufficientBalance, paymentIdOf, topUp } from '@gangan/billing';
import { newId } from '@gangan/protocol';
import type { Command } from 'commander';
import { atLeastOneKobo, kobo, words } from '../desk/arguments.js';
import type { Desk } from '../desk/desk.js';
import { Money } from '../desk/money.js';
import { Refusal } from '../desk/refusal.js';
import { findOrganisation } from '../organisations/find-organisation.js';

const reference = ['--reference <reference>', 'of the payment: the same one again moves nothing'] as const;

export function addMoneyCommands(program: Command, desk: Desk): void {
  program
    .command('balance')
    .description('what an organisation can spend, and what is set aside for purchases under way')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin balance acme/live')
    .action(async (given: string) => {
      const database = await desk.database();
      const { id, label } = await findOrganisation(database, given);
      const { available, reserved } = await balancesOf(database, id);
      desk.show({ organisation: label, balance: new Money(available), reserved: new Money(reserved) });
    });

  program
    .command('top-up')
    .description('book money that has come in')
    .argument('<organisation>')
    .argument('<naira>', 'such as 50000 or 99.50', atLeastOneKobo)
    .option(...reference, words(255))
    .option('--note <text>', 'shown in the ledger', words(255))
    .addHelpText(
      'after',
      '\nExample:\n  pnpm admin top-up acme/live 50000 --reference INV-1042 --note "Bank transfer"',
    )
    .action(async (given: string, amount: bigint, options: { reference?: string; note?: string }) => {
      const database = await desk.database();
      const { id, label } = await findOrganisation(database, given);
      const payment = {
        organisationId: id,
        subjectId: subjectOf(id, options.reference),
        kobo: amount,
        ...(options.note !== undefined && { note: options.note }),
      };
      const [receipt] = await topUp(database, [payment]);
      if (!receipt) return;
      const balance = new Money(receipt.balance);
      desk.done(
        receipt.moved
          ? `${label} received ${new Money(amount).text}; its balance is ${balance.text}.`
          : `This payment was booked before, nothing moved; the balance after it was ${balance.text}.`,
        { organisation: id, payment: payment.subjectId, booked: receipt.moved, balance },
      );
    });

  program
    .command('adjust')
    .description('correct a balance by hand, up or down')
    .argument('<organisation>')
    .argument('<naira>', 'such as 250 or -99.50', kobo)
    .requiredOption('--note <text>', 'why; shown in the ledger', words(255))
    .option(...reference, words(255))
    .addHelpText('after', '\nExample:\n  pnpm admin adjust acme/live -99.50 --note "Paid twice by mistake"')
    .action(async (given: string, amount: bigint, options: { reference?: string; note: string }) => {
      if (amount === 0n) throw new Refusal('Nothing to adjust by.');
      const database = await desk.database();
      const { id, label } = await findOrganisation(database, given);
      const { text } = new Money(amount);
      await desk.confirm(`Adjust the balance of ${label} by ${text} naira?`);
      const subjectId = subjectOf(id, options.reference);
      const done = await adjust(database, {
        organisationId: id,
        subjectId,
        kobo: amount,
        note: options.note,
      });
      if (!done.ok) throw insufficientBalance(-amount, done.available);
      const balance = new Money(done.balance);
      desk.done(
        done.repeated
          ? `This adjustment was booked before, nothing moved; the balance after it was ${balance.text}.`
          : `${label} was adjusted by ${text}; its balance is ${balance.text}.`,
        { organisation: id, adjustment: subjectId, booked: !done.repeated, balance },
      );
    });

  program
    .command('ledger')
    .description('the books')
    .command('check')
    .description('hold every rule against the whole ledger; exit code 1 when one is broken')
    .addHelpText('after', '\nExample:\n  pnpm admin ledger check')
    .action(async () => {
      const { clean, findings, totals } = await checkLedger(await desk.database());
      if (!clean) desk.exitCode = 1;
      desk.show({
        clean,
        totals: totals.map(({ kind, transactions, kobo: moved }) => ({
          kind,
          transactions: Number(transactions),
          naira: new Money(moved),
        })),
        findings: findings.map(({ rule, organisationId, message }) => ({
          rule,
          organisation: organisationId,
          message,
        })),
      });
    });
}

const subjectOf = (organisationId: string, given: string | undefined): string =>
  given === undefined ? newId() : paymentIdOf(organisationId, given);
