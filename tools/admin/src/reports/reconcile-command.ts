import {
  type BillDifference,
  billDifferenceKinds,
  findBillCurrency,
  type Month,
  noBillDetails,
  parseMonth,
  reconcileBill,
} from '@gangan/management';
import type { Command } from 'commander';
import { readColumns, readRecords, readText } from '../reconcile/csv-records.js';
import { addFileOptions, writeDifferences } from '../reconcile/differences.js';
import { invalid } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Options {
  readonly provider: string;
  readonly month: Month;
  readonly reference: string;
  readonly price: string;
  readonly status?: string;
  readonly currency?: string;
  readonly separator: string;
  readonly output?: string;
}

export const monthOption = [
  '--month <month>',
  'in UTC, such as 2026-11',
  (text: string): Month => parseMonth(text) ?? invalid('Use a month such as 2026-11.'),
] as const;

export function addReconcileCommand(group: Command, session: AdminSession): void {
  const reconciling = addCommand(
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
      'of prices that name none (default: that of the costs of the month, else of the settings of the provider, else NGN)',
      (text: string) => (/^[A-Z]{3}$/.test(text) ? text : invalid('Use a code such as NGN.')),
    );
  addFileOptions(reconciling, 'file.csv').action(async (path: string, options: Options) => {
    const { provider, month, reference, price, status } = options;
    const database = await session.database();
    const currency = await findBillCurrency(database, { provider, month }, options.currency);
    const columns = { reference: [reference], price: [price], status: status === undefined ? [] : [status] };
    const records = readRecords(readText(path), options.separator);
    const lines = readColumns(records, columns, [['reference'], ['price'], ['status']]);
    const output = options.output ?? `${path}.differences.csv`;
    const { result, shown, counts } = await writeDifferences(
      output,
      noBillDetails,
      (onDifferences: (found: readonly BillDifference[]) => Promise<void>) =>
        reconcileBill(database, lines, { provider, month, currency, onDifferences }),
    );
    if (counts.size > 0) session.exitCode = 1;
    session.show({
      provider,
      month: month.name,
      currency,
      matched: result,
      ...Object.fromEntries(billDifferenceKinds.map((kind) => [kind, counts.get(kind) ?? 0])),
      file: output,
      differences: shown,
    });
  });
}
