import { balancesOf, checkLedger, type LedgerFinding } from '@gangan/billing';
import { bookMoney, type Booking } from '@gangan/management';
import type { Command } from 'commander';
import { reportPending } from '../approvals/report-pending.js';
import { atLeastOneKobo, kobo, plainText, singleLine } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { Progress } from '../session/progress.js';
import { addCommand, addExamples, type AdminSession } from '../session/session.js';

const reference = [
  '--reference <reference>',
  'reference of the payment; the same reference is booked only once',
] as const;

const secondPerson = `Above the limit of \`pnpm admin approvals limit\`, counted per operator and per account in 24 hours, no money of a live
organisation moves, and the exit code is 3. Another operator must approve the booking: see \`pnpm admin approvals\`.
Deductions count like additions, approved bookings do not count.`;

type BookingOptions = Pick<Booking, 'reference' | 'note'>;

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
  const examples = ['acme/live 50000 --reference INV-1042 --note "Bank transfer"'];
  addExamples(command, examples, secondPerson)
    .argument('<organisation>')
    .argument('<naira>', 'such as 50000 or 99.50', atLeastOneKobo)
    .option(...reference, singleLine(255))
    .option('--note <text>', 'shown in the ledger', plainText(255))
    .action(async (given: string, amount: bigint, options: BookingOptions) => {
      const { id: organisationId, label } = await session.organisation(given);
      const booking = { ...options, kind: 'top_up', organisationId, kobo: amount } as const;
      await book(session, booking, `${label} received ${new Money(amount).text}`, 'payment');
    });
}

function addAdjustCommand(command: Command, session: AdminSession): void {
  addExamples(command, ['acme/live -99.50 --note "Paid twice by mistake"'], secondPerson)
    .argument('<organisation>')
    .argument('<naira>', 'such as 250 or -99.50', kobo)
    .requiredOption('--note <text>', 'the reason; shown in the ledger', plainText(255))
    .option(...reference, singleLine(255))
    .action(async (given: string, amount: bigint, options: BookingOptions) => {
      if (amount === 0n) throw new CommandError('The amount must not be 0.');
      const { id: organisationId, label } = await session.organisation(given);
      const { text } = new Money(amount);
      await session.confirm(`Adjust the balance of ${label} by ${text} naira?`);
      const booking = { ...options, kind: 'adjustment', organisationId, kobo: amount } as const;
      await book(session, booking, `${label} was adjusted by ${text}`, 'adjustment');
    });
}

/** @param done what happened, if it was booked now */
async function book(
  session: AdminSession,
  booking: Booking,
  done: string,
  what: 'payment' | 'adjustment',
): Promise<void> {
  const result = await bookMoney(await session.access(), booking);
  const row = { organisation: booking.organisationId, [what]: result.subjectId };
  if (reportPending(session, result, { ...row, booked: false }, 'No money has moved')) return;
  const balance = new Money(result.balance ?? 0n);
  session.done(
    result.moved === true
      ? `${done}; its balance is ${balance.text}.`
      : `This ${what} was already booked; the balance after it was ${balance.text}.`,
    { ...row, booked: result.moved === true, balance },
  );
}

function addLedgerCommands(group: Command, session: AdminSession): void {
  const description =
    'check every rule against the whole ledger, in slices, while it is in use; exits with 1 if a rule is broken, not for warnings';
  addCommand(group, 'check', description).action(async () => {
    const database = await session.database();
    const progress = new Progress(session.terminal, 1, 'rows');
    const { clean, findings, warnings, totals } = await checkLedger(database, {
      onProgress: ({ rows, estimatedRows }) => {
        progress.reach(rows, rows / Math.max(rows, estimatedRows));
      },
    }).finally(() => {
      progress.end();
    });
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
