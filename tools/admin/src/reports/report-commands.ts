import {
  describeMessages,
  findMarginNames,
  groupMargins,
  inNaira,
  type Margin,
  marginGroups,
  type MarginTotal,
  type Month,
  readMargins,
  sumOf,
} from '@gangan/management';
import { formatMicros, parseMicros } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { asJson } from '../session/print.js';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { asCsv } from './csv.js';
import { addReconcileCommand, monthOption } from './reconcile-command.js';

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
      const margins = await readMargins(database, given, ({ days, of }) => {
        progress.reach(days, days / of);
      }).finally(() => {
        progress.end();
      });
      const names = await findMarginNames(database, margins);
      const groups = groupMargins(margins, [by])
        .map((margin) => {
          const organisation = names.labels.get(margin.organisationId) ?? margin.organisationId;
          const group = by === 'route' ? routeName(names, margin) : providerName(margin);
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
      remarkUnknown(session, margins);
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

/** Messages that no provider was tried for, or that an earlier version sent, have no known route. */
function routeName(
  { routes, labels }: Awaited<ReturnType<typeof findMarginNames>>,
  { service, route }: Margin,
): string {
  if (service === 'lookup') return '(all)';
  if (service === 'airtime') return route;
  if (route === '') return '(unknown)';
  const found = routes.get(route);
  return found ? describeMessages(found, labels.get(found.organisationId ?? '')) : `(removed: ${route})`;
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

/** What is counted, and the setting that says what it costs. */
const countedOf = {
  airtime: ['purchases', 'commission'],
  lookup: ['lookups', 'cost'],
  message: ['messages', 'cost'],
} as const;

/** By service and provider. Lookups have no provider. */
function remarkUnknown(session: AdminSession, margins: readonly Margin[]): void {
  for (const [service, [counted, setting]] of Object.entries(countedOf)) {
    const own = margins.filter((margin) => margin.service === service && margin.unknown > 0n);
    for (const provider of [...new Set(own.map((margin) => margin.provider))].toSorted()) {
      const { unknown } = sumOf(own.filter((margin) => margin.provider === provider));
      session.remark(
        `The cost of ${unknown} ${counted}${provider && ` at ${provider}`} is not known: set \`${setting}\` in the settings of the provider (docs/operate/providers.md#cost).`,
      );
    }
  }
}
