import {
  adjust,
  balancesOf,
  checkLedger,
  insufficientBalance,
  type LedgerFinding,
  paymentIdOf,
  topUp,
} from '@gangan/billing';
import type { SqlRunner } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Command } from 'commander';
import { atLeastOneKobo, kobo, singleLine } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, addExamples, type AdminSession } from '../session/session.js';

const reference = [
  '--reference <reference>',
  'reference of the payment; the same reference is booked only once',
] as const;

interface BookingOptions {
  readonly reference?: string;
  readonly note?: string;
}

/** Each of these groups is a single command, except `ledger`. */
export function addCommands(group: Command, session: AdminSession): void {
  const name = group.name();
  if (name === 'balance') addBalanceCommand(group, session);
  else if (name === 'top-up') addTopUpCommand(group, session);
  else if (name === 'adjust') addAdjustCommand(group, session);
  else addLedgerCommands(group, session);
}

function addBalanceCommand(command: Command, session: AdminSession): void {
  addExamples(command.argument('<organisation>'), ['acme/live']).action(async (given: string) => {
    const { database, id, label } = await session.organisation(given);
    const { available, reserved } = await balancesOf(database, id);
    session.show({ organisation: label, balance: new Money(available), reserved: new Money(reserved) });
  });
}

function addTopUpCommand(command: Command, session: AdminSession): void {
  addExamples(command, ['acme/live 50000 --reference INV-1042 --note "Bank transfer"'])
    .argument('<organisation>')
    .argument('<naira>', 'such as 50000 or 99.50', atLeastOneKobo)
    .option(...reference, singleLine(255))
    .option('--note <text>', 'shown in the ledger', singleLine(255))
    .action(async (given: string, amount: bigint, options: BookingOptions) => {
      const { database, id, label } = await session.organisation(given);
      const payment = toBooking(id, amount, options);
      const receipt = await database.transaction(async (transaction) => {
        const [booked] = await topUp(transaction, [payment]);
        if (booked?.moved) await record(transaction, session, label, payment, booked.balance);
        return booked;
      });
      if (!receipt) return;
      assertSameAmount(amount, receipt.kobo);
      const balance = new Money(receipt.balance);
      session.done(
        receipt.moved
          ? `${label} received ${new Money(amount).text}; its balance is ${balance.text}.`
          : `This payment was already booked; the balance after it was ${balance.text}.`,
        { organisation: id, payment: payment.subjectId, booked: receipt.moved, balance },
      );
    });
}

function addAdjustCommand(command: Command, session: AdminSession): void {
  addExamples(command, ['acme/live -99.50 --note "Paid twice by mistake"'])
    .argument('<organisation>')
    .argument('<naira>', 'such as 250 or -99.50', kobo)
    .requiredOption('--note <text>', 'the reason; shown in the ledger', singleLine(255))
    .option(...reference, singleLine(255))
    .action(async (given: string, amount: bigint, options: BookingOptions & { readonly note: string }) => {
      if (amount === 0n) throw new CommandError('The amount must not be 0.');
      const { database, id, label } = await session.organisation(given);
      const { text } = new Money(amount);
      await session.confirm(`Adjust the balance of ${label} by ${text} naira?`);
      const adjustment = { ...toBooking(id, amount, options), note: options.note };
      const done = await database.transaction(async (transaction) => {
        const result = await adjust(transaction, adjustment);
        if (result.ok && !result.repeated)
          await record(transaction, session, label, adjustment, result.balance);
        return result;
      });
      if (!done.ok) throw insufficientBalance(-amount, done.available);
      assertSameAmount(amount, done.balance - done.balanceBefore);
      const balance = new Money(done.balance);
      session.done(
        done.repeated
          ? `This adjustment was already booked; the balance after it was ${balance.text}.`
          : `${label} was adjusted by ${text}; its balance is ${balance.text}.`,
        { organisation: id, adjustment: adjustment.subjectId, booked: !done.repeated, balance },
      );
    });
}

function addLedgerCommands(group: Command, session: AdminSession): void {
  const description =
    'check every rule against the whole ledger; exits with 1 if a rule is broken, not for warnings';
  addCommand(group, 'check', description).action(async () => {
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

type Booking = ReturnType<typeof toBooking>;

/** The same reference is the same payment; without one every payment is new. */
const toBooking = (organisationId: string, amount: bigint, { reference: given, note }: BookingOptions) => ({
  organisationId,
  subjectId: given === undefined ? newId() : paymentIdOf(organisationId, given),
  kobo: amount,
  ...(note !== undefined && { note }),
});

/** Adds a booking to the audit log. */
const record = (
  transaction: SqlRunner,
  session: AdminSession,
  target: string,
  { organisationId, subjectId, kobo: amount, note }: Booking,
  balance: bigint,
): Promise<void> =>
  session.audit(transaction, {
    ...{ organisationId, target },
    before: { balance: new Money(balance - amount) },
    after: { balance: new Money(balance), naira: new Money(amount), subject: subjectId, note },
  });

function assertSameAmount(asked: bigint, booked: bigint): void {
  if (asked === booked) return;
  throw new CommandError(
    `This reference is already booked with ${new Money(booked).text} instead of ${new Money(asked).text}; nothing was booked now. Check the amount, or use another reference.`,
  );
}
