import { formatMicros, parseMicros } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { labelOf, withAccount } from '../session/find-organisation.js';
import { asJson } from '../session/print.js';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { asCsv } from './csv.js';
import { inNaira, type Margin, readMargins, sumOf } from './margin.js';
import { type Month, monthOption } from './month.js';
import { addReconcileCommand } from './reconcile-command.js';

type ReportRow = ReturnType<typeof rowOf>;

interface MarginOptions {
  readonly month: Month;
  readonly format?: 'table' | 'csv' | 'json';
  readonly rate?: ReadonlyMap<string, bigint>;
}

function addRate(text: string, before: ReadonlyMap<string, bigint> = new Map()): Map<string, bigint> {
  const [, currency = '', amount = ''] = /^([A-Z]{3})=(.+)$/.exec(text) ?? [];
  const rate = parseMicros(amount);
  if (rate === undefined || rate === 0n || currency === 'NGN')
    return invalid('Use a currency and the naira for one unit of it, such as USD=1612.50.');
  return new Map(before).set(currency, rate);
}

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'margin',
    'revenue, cost and difference of a month, by organisation and provider',
    ['--month 2026-11', '--month 2026-11 --rate USD=1612.50 --format csv'],
    `Covers messages and OTPs of live organisations that were accepted in the month, as far as they are still stored. Revenue is
what was charged less what was refunded; a refunded message can have a cost. Amounts are naira and exact. Where a cost is
not known, or in a currency without --rate, there is no difference.`,
  )
    .requiredOption(...monthOption)
    .option('--rate <currency=naira>', 'exchange rate of a cost; repeatable', addRate)
    .addOption(new Option('--format <format>').choices(['table', 'csv', 'json']))
    .action(async ({ month: given, format, rate = new Map<string, bigint>() }: MarginOptions) => {
      const database = await session.database();
      const progress = new Progress(session.terminal, 1, 'days');
      const margins = await readMargins(database, given, (days, of) => {
        progress.reach(days, days / of);
      }).finally(() => {
        progress.end();
      });
      const organisations = await database.organisation.findMany({
        where: { id: { in: [...new Set(margins.map(({ organisationId }) => organisationId))] } },
        ...withAccount.organisation,
      });
      const labels = new Map(organisations.map((organisation) => [organisation.id, labelOf(organisation)]));
      const rows = margins
        .map((margin) => rowOf(labels.get(margin.organisationId) ?? margin.organisationId, margin, rate))
        .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      const all = margins.length > 0 ? [...rows, rowOf('total', sumOf(margins), rate)] : [];
      if (format === 'csv') session.terminal.out.write(asCsv(all));
      else if (format === 'json') session.terminal.out.write(`${asJson(all)}\n`);
      else session.list(all, `No message of ${given.name} is stored.`);
      for (const { provider, unknown } of unknownByProvider(margins))
        session.remark(
          `The cost of ${unknown} messages at ${provider} is not known: set \`cost\` in its settings (docs/providers.md).`,
        );
    });

  addReconcileCommand(group, session);
}

const keyOf = ({ organisation, provider }: ReportRow): string => `${organisation} ${provider}`;

function rowOf(organisation: string, margin: Margin, rates: ReadonlyMap<string, bigint>) {
  const revenue = margin.charged - margin.refunded;
  const { naira, foreign } = inNaira(margin.costs, rates);
  const isKnown = margin.unknown === 0n && foreign.length === 0;
  return {
    organisation,
    provider: organisation === 'total' ? '' : margin.provider || '(none)',
    messages: Number(margin.deliveries),
    charged: formatMicros(margin.charged),
    refunded: formatMicros(margin.refunded),
    revenue: formatMicros(revenue),
    cost: formatMicros(naira),
    other_costs: foreign.map(({ currency, micros }) => `${currency} ${formatMicros(micros)}`).join(' + '),
    unknown_costs: Number(margin.unknown),
    difference: isKnown ? formatMicros(revenue - naira) : '',
  };
}

function unknownByProvider(margins: readonly Margin[]): { provider: string; unknown: bigint }[] {
  const counts = new Map<string, bigint>();
  for (const { provider, unknown } of margins)
    if (unknown > 0n) counts.set(provider, (counts.get(provider) ?? 0n) + unknown);
  return [...counts]
    .map(([provider, unknown]) => ({ provider, unknown }))
    .toSorted((a, b) => (a.provider < b.provider ? -1 : 1));
}
