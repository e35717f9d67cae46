import type { Database } from '@gangan/database';
import { formatMicros, parseMicros } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { describeConditions } from '../routes/route-store.js';
import { labelOf, withAccount } from '../session/find-organisation.js';
import { asJson } from '../session/print.js';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { asCsv } from './csv.js';
import { groupMargins, inNaira, type Margin, marginGroups, readMargins, sumOf } from './margin.js';
import { type Month, monthOption } from './month.js';
import { addReconcileCommand } from './reconcile-command.js';

interface MarginOptions {
  readonly month: Month;
  readonly by: (typeof marginGroups)[number];
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
    'revenue, cost and difference of a month, by organisation and route',
    ['--month 2026-11', '--month 2026-11 --by provider --rate USD=1612.50 --format csv'],
    `Covers messages and OTPs of live organisations that were accepted in the month, as far as they are still stored. Revenue is
what was charged less what was refunded; a refunded message can have a cost. It belongs to the route of its last attempt.
Amounts are naira and exact. Where a cost is not known, or in a currency without --rate, there is no difference.`,
  )
    .requiredOption(...monthOption)
    .option('--rate <currency=naira>', 'exchange rate of a cost; repeatable', addRate)
    .addOption(new Option('--by <group>').choices(marginGroups).default('route'))
    .addOption(new Option('--format <format>').choices(['table', 'csv', 'json']))
    .action(async ({ month: given, by, format, rate = new Map<string, bigint>() }: MarginOptions) => {
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
      const routes = await describeRoutes(database, labels);
      const rows = groupMargins(margins, by)
        .map((margin) => {
          const organisation = labels.get(margin.organisationId) ?? margin.organisationId;
          const group = by === 'route' ? routeName(routes, margin.routeId) : margin.provider || '(none)';
          return { organisation, [by]: group, ...amountsOf(margin, rate) };
        })
        .toSorted((one, other) => (keyOf(one, by) < keyOf(other, by) ? -1 : 1));
      const total = { organisation: 'total', [by]: '', ...amountsOf(sumOf(margins), rate) };
      const all = margins.length > 0 ? [...rows, total] : [];
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

const keyOf = (row: Readonly<Record<string, unknown>>, by: string): string =>
  `${String(row['organisation'])} ${String(row[by])}`;

/** The conditions of the routes that exist, by id. */
async function describeRoutes(
  database: Database,
  labels: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const routes = await database.route.findMany();
  return new Map(
    routes.map((route) => [route.id, describeConditions(route, labels.get(route.organisationId ?? ''))]),
  );
}

/** Messages that no provider was tried for, or that an earlier version sent, have no known route. */
const routeName = (routes: ReadonlyMap<string, string>, id: string): string =>
  id === '' ? '(unknown)' : (routes.get(id) ?? `(removed: ${id})`);

function amountsOf(margin: Margin, rates: ReadonlyMap<string, bigint>) {
  const revenue = margin.charged - margin.refunded;
  const { naira, foreign } = inNaira(margin.costs, rates);
  const isKnown = margin.unknown === 0n && foreign.length === 0;
  return {
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
