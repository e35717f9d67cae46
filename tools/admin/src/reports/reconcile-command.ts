import type { CostSettings } from '@gangan/providers';
import type { Command } from 'commander';
import { addFileOptions, writeDifferences } from '../reconcile/comparison.js';
import { readRecords, readText } from '../reconcile/csv-records.js';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { type BillColumns, readBill } from './bill-lines.js';
import { type Month, monthOption } from './month.js';
import { type Difference, differenceKinds, findCurrency, noDetails, reconcile } from './reconcile.js';

interface Options extends BillColumns {
  readonly provider: string;
  readonly month: Month;
  readonly currency?: string;
  readonly separator: string;
  readonly output?: string;
}

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
  addFileOptions(reconciling, 'file.csv').action(
    async (path: string, { provider, month, separator, ...options }: Options) => {
      const database = await session.database();
      const used = await database.delivery.findFirst({ where: { provider }, select: { id: true } });
      const known = await database.provider.findUnique({
        where: { name: provider },
        select: { settings: true },
      });
      if (!used && !known)
        throw new CommandError(`There is no provider ${provider}: see \`pnpm admin providers list\`.`);
      const currency =
        options.currency ??
        (await findCurrency(database, { provider, month })) ??
        currencyOf(known?.settings) ??
        'NGN';
      const bill = readBill(readRecords(readText(path), separator), options);
      const { file, matched } = await writeDifferences<Difference>(
        options.output ?? `${path}.differences.csv`,
        noDetails,
        (onDifferences) => reconcile(database, bill, { provider, month, currency, onDifferences }),
      );
      if (!file.isEmpty) session.exitCode = 1;
      session.show({
        provider,
        month: month.name,
        currency,
        matched,
        ...Object.fromEntries(differenceKinds.map((kind) => [kind, file.count(kind)])),
        file: file.path,
        differences: file.shown.map((difference) => ({ ...difference })),
      });
    },
  );
}

const currencyOf = (settings: unknown): string | undefined =>
  (settings as { readonly cost?: CostSettings } | null | undefined)?.cost?.currency;
