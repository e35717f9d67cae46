import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { type BillColumns, readBill, readRecords, readText } from './bill-lines.js';
import { csvLine } from './csv.js';
import { type Month, monthOption } from './month.js';
import { type Difference, differenceKinds, reconcile } from './reconcile.js';

interface Options extends BillColumns {
  readonly provider: string;
  readonly month: Month;
  readonly currency: string;
  readonly separator: string;
  readonly output?: string;
}

const maxShown = 20;

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
      const counts = new Map<string, number>();
      const shown: Difference[] = [];
      const target = options.output ?? `${path}.differences.csv`;
      const output = createWriteStream(target);
      const write = async (cells: readonly string[]): Promise<void> => {
        if (!output.write(csvLine(cells))) await once(output, 'drain');
      };
      await once(output, 'open').catch((cause: unknown) => {
        throw new CommandError(`${target} cannot be written.`, { cause });
      });
      await write(columns);
      const matched = await reconcile(database, readBill(readRecords(readText(path), separator), options), {
        provider,
        month,
        currency,
        onDifferences: async (differences) => {
          for (const difference of differences) {
            counts.set(difference.kind, (counts.get(difference.kind) ?? 0) + 1);
            if (shown.length < maxShown) shown.push(difference);
            await write(columns.map((name) => String(difference[name])));
          }
        },
      }).finally(() => {
        output.end();
      });
      await finished(output);
      if (counts.size > 0) session.exitCode = 1;
      session.show({
        provider,
        month: month.name,
        matched,
        ...Object.fromEntries(differenceKinds.map((kind) => [kind, counts.get(kind) ?? 0])),
        file: target,
        differences: shown.map((difference) => ({ ...difference })),
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
