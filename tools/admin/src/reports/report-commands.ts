import type { Database } from '@gangan/database';
import { formatMicros, parseMicros } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { describeMessages, labelOf, withAccount } from '@gangan/management';
import { asJson } from '../session/print.js';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { asCsv } from './csv.js';
import {
  groupMargins,
  inNaira,
  type Margin,
  marginGroups,
  type MarginTotal,
  readMargins,
  sumOf,
} from './margin.js';
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
    'revenue, cost and difference of a month, by organisation, service and route',
    ['--month 2026-11', '--month 2026-11 --by provider --rate USD=1612.50 --format csv'],
    `Covers messages and OTPs, airtime purchases and lookups of live organisations of the month, as far as they are still stored.
Revenue is what was charged less what was refunded; a refunded message can have a cost. It belongs to the route of its last
attempt; the route of airtime is its network. Amounts are naira and exact. An attempt whose outcome is not known, and that was made
again, is in \`repeated\`, and costs as much as the later one: the provider may have charged for both. Where a cost is not known, or
in a currency without --rate, there is no difference. A warning names the rows that cost more than customers paid.`,
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
      const groups = groupMargins(margins, by)
        .map((margin) => {
          const organisation = labels.get(margin.organisationId) ?? margin.organisationId;
          const group = by === 'route' ? routeName(routes, margin) : providerName(margin);
          return { margin, organisation, service: margin.service, group };
        })
        .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
      const rows = groups.map(({ margin, group, ...named }) => ({
        ...named,
        [by]: group,
        ...amountsOf(margin, rate),
      }));
      const total = { organisation: 'total', service: '', [by]: '', ...amountsOf(sumOf(margins), rate) };
      const all = margins.length > 0 ? [...rows, total] : [];
      if (format === 'csv') session.terminal.out.write(asCsv(all));
      else if (format === 'json') session.terminal.out.write(`${asJson(all)}\n`);
      else session.list(all, `No message, purchase or lookup of ${given.name} is stored.`);
      for (const { what, unknown, setting } of unknownCosts(margins))
        session.remark(
          `The cost of ${unknown} ${what} is not known: set \`${setting}\` in the settings of the provider (docs/operate/providers.md#cost).`,
        );
      const negative = groups.filter(({ margin }) => isNegative(margin, rate)).map(nameOf);
      if (negative.length > 0)
        session.remark(
          `The provider charges more than the customer pays in ${negative.length} rows: ${firstOf(negative)}. Check their prices (\`pnpm admin prices list\`) and routes.`,
        );
    });

  addReconcileCommand(group, session);
}

const nameOf = ({
  organisation,
  service,
  group,
}: Readonly<Record<'organisation' | 'service' | 'group', string>>) => `${organisation} ${service} ${group}`;

/** The conditions of the routes that exist, by id. */
async function describeRoutes(
  database: Database,
  labels: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const routes = await database.route.findMany();
  return new Map(
    routes.map((route) => [route.id, describeMessages(route, labels.get(route.organisationId ?? ''))]),
  );
}

/** Messages that no provider was tried for, or that an earlier version sent, have no known route. */
function routeName(routes: ReadonlyMap<string, string>, { service, route }: Margin): string {
  if (service === 'lookup') return '(all)';
  if (service === 'airtime') return route;
  return route === '' ? '(unknown)' : (routes.get(route) ?? `(removed: ${route})`);
}

/** What lookups earn is not known by provider. */
const providerName = ({ service, provider }: Margin): string =>
  service === 'lookup' ? '(all)' : provider || '(none)';

const maxNames = 5;

const firstOf = (names: readonly string[]): string =>
  [...names.slice(0, maxNames), ...(names.length > maxNames ? ['…'] : [])].join('; ');

/** Also if a part of the cost is not known. */
const isNegative = ({ charged, refunded, costs }: Margin, rates: ReadonlyMap<string, bigint>): boolean =>
  inNaira(costs, rates).naira > charged - refunded;

function amountsOf(margin: MarginTotal, rates: ReadonlyMap<string, bigint>) {
  const revenue = margin.charged - margin.refunded;
  const { naira, foreign } = inNaira(margin.costs, rates);
  const isKnown = margin.unknown === 0n && foreign.length === 0;
  return {
    count: Number(margin.count),
    charged: formatMicros(margin.charged),
    refunded: formatMicros(margin.refunded),
    revenue: formatMicros(revenue),
    cost: formatMicros(naira),
    other_costs: foreign.map(({ currency, micros }) => `${currency} ${formatMicros(micros)}`).join(' + '),
    repeated: Number(margin.repeated),
    unknown_costs: Number(margin.unknown),
    difference: isKnown ? formatMicros(revenue - naira) : '',
  };
}

/** By service and provider. Lookups are counted by organisation. */
function unknownCosts(margins: readonly Margin[]): { what: string; unknown: bigint; setting: string }[] {
  const counts = new Map<string, { what: string; unknown: bigint; setting: string }>();
  for (const { service, provider, unknown } of margins) {
    if (unknown === 0n) continue;
    const known = counts.get(`${service} ${provider}`);
    counts.set(`${service} ${provider}`, {
      ...unknownOf[service](provider),
      unknown: unknown + (known?.unknown ?? 0n),
    });
  }
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

const unknownOf = {
  message: (provider: string) => ({ what: `messages at ${provider}`, setting: 'cost' }),
  airtime: (provider: string) => ({ what: `purchases at ${provider}`, setting: 'commission' }),
  lookup: () => ({ what: 'lookups', setting: 'cost' }),
} as const;
