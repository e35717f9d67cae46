import type { Command } from 'commander';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { type BillColumns, readBill } from './bill-lines.js';
import { readRecords, readText } from './csv-records.js';
import { DifferenceFile } from './difference-file.js';
import { type Month, monthOption } from './month.js';
import { type Difference, differenceKinds, reconcile } from './reconcile.js';

interface Options extends BillColumns {
  readonly provider: string;
  readonly month: Month;
  readonly currency: string;
  readonly separator: string;
  readonly output?: string;
}

export function addReconcileCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'reconcile <file.csv>',
    'compare the bill of a provider with the messages that it accepted; exits with 1 if they differ',
    ['bill.csv --provider termii --month 2026-11 --reference "Message ID" --price Cost --status Status'],
    `Lines with the same reference are added up. The sign of a price does not count. All differences are written to a file:
  bill_only     on the bill, and not stored here
  stored_only   accepted in the month (UTC), and not on the bill
  price         different amounts
  unknown_cost  no cost is stored here
  unreadable    a line without a reference or a price`,
  )
    .requiredOption('--provider <name>', 'whose bill it is')
    .requiredOption(...monthOption)
    .requiredOption('--reference <column>', "the column with the provider's id of the message")
    .requiredOption('--price <column>', 'the column with the price')
    .option('--status <column>', 'the column with the status; it is shown with a difference')
    .option(
      '--currency <code>',
      'of prices that name none',
      (text: string) => (/^[A-Z]{3}$/.test(text) ? text : invalid('Use a code such as NGN.')),
      'NGN',
    )
    .option(
      '--separator <character>',
      'between the columns',
      (text: string) => (text.length === 1 ? text : invalid('Use one character.')),
      ',',
    )
    .option('--output <file>', 'file for all differences (default: <file.csv>.differences.csv)')
    .action(async (path: string, { provider, month, currency, separator, ...options }: Options) => {
      const database = await session.database();
      const used = await database.delivery.findFirst({ where: { provider }, select: { id: true } });
      const known = await database.provider.findUnique({ where: { name: provider }, select: { id: true } });
      if (!used && !known)
        throw new CommandError(`There is no provider ${provider}: see \`pnpm admin providers list\`.`);
      const differences = await DifferenceFile.open<Difference>(
        options.output ?? `${path}.differences.csv`,
        columns,
      );
      const bill = readBill(readRecords(readText(path), separator), options);
      const matched = await differences.during(
        reconcile(database, bill, {
          provider,
          month,
          currency,
          onDifferences: (found) => differences.add(found),
        }),
      );
      if (!differences.isEmpty) session.exitCode = 1;
      session.show({
        provider,
        month: month.name,
        matched,
        ...Object.fromEntries(differenceKinds.map((kind) => [kind, differences.count(kind)])),
        file: differences.path,
        differences: differences.shown.map((difference) => ({ ...difference })),
      });
    });
}

const columns = [
  ...([
    'kind',
    'reference',
    'line',
    'delivery',
    'billed',
    'stored',
    'billed_status',
    'stored_status',
  ] as const),
];
