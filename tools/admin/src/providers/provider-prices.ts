import { listPrices, PriceList, pricesOf } from '@gangan/billing';
import { callingCodeOf } from '@gangan/contracts';
import type { Database, PricedService } from '@gangan/database';
import type { CostSettings } from '@gangan/providers';
import { asTable, Money, type Row } from '../session/print.js';
import type { ProviderDefinition } from './definition.js';

type PricedProvider = Pick<ProviderDefinition, 'organisationId' | 'domain' | 'channels' | 'settings'>;

/** Numbers that customers have a price for, or that the provider names a cost for. */
interface Destination extends Row {
  readonly service: PricedService;
  /** A prefix, a country, or `any`. */
  readonly to: string;
  readonly category?: string;
  /** What customers pay for a page, a message or a lookup. Null without a price. */
  readonly price: Money | null;
  /** What the provider charges for a part, such as `NGN 3.50`. */
  readonly cost?: string;
}

interface Cost {
  readonly to: string;
  readonly digits: string;
  readonly text: string;
}

const maxShown = 20;
const airtimePrices =
  'Customers pay the amount that they buy. What it costs is in the answers of the provider; for those that do not say so, set `commission` (docs/operate/providers.md#cost).';

/** What customers pay for what a provider does, and what it charges as far as its settings say. */
export async function findDestinations(
  database: Database,
  provider: PricedProvider,
): Promise<readonly Destination[]> {
  const { organisationId, domain, channels } = provider;
  const rows =
    organisationId === null
      ? (await listPrices(database)).filter(({ testOnly }) => !testOnly)
      : await pricesOf(database, organisationId);
  const services = domain === 'message' ? channels : domain === 'lookup' ? (['lookup'] as const) : [];
  const costs = costsOf(provider.settings);
  return services.flatMap((service) => {
    const prices = new PriceList(rows).tableOf(service);
    const priced = rows.filter((row) => row.service === service);
    const unpriced = costs.filter(({ digits }) => !priced.some(({ prefix }) => prefix === digits));
    return [
      ...priced.map(({ prefix, category, kobo }) => ({
        ...{ digits: prefix, to: prefix === '' ? 'any' : prefix, price: new Money(kobo) },
        ...(category !== '' && { category }),
      })),
      ...unpriced.map(({ digits, to }) => {
        const kobo = prices.priceOf(`+${digits}`);
        return { digits, to, price: kobo === undefined ? null : new Money(kobo) };
      }),
    ]
      .toSorted((one, other) => (one.digits < other.digits ? -1 : 1))
      .map(({ digits, ...destination }) => ({ service, ...destination, ...costAt(costs, digits) }));
  });
}

/** For operators: the destinations, and the command that sets a price. */
export function describeDestinations(
  { domain, channels }: PricedProvider,
  destinations: readonly Destination[],
  organisation: string | undefined,
): string {
  if (domain === 'airtime') return airtimePrices;
  const shown = destinations.slice(0, maxShown).map(({ price, cost, ...destination }) => ({
    ...destination,
    customers_pay: price ? `NGN ${price.text}` : 'no price',
    it_costs: cost ?? 'not known',
  }));
  const more = destinations.length - shown.length;
  const missing = destinations.find(({ price }) => price === null)?.to ?? '234';
  const [service = 'lookup'] = channels;
  const own = organisation === undefined ? '' : ` --organisation ${organisation}`;
  const set = `pnpm admin prices set ${service} ${/^\d|any/.test(missing) ? missing : callingCodeOf(missing)} <naira>${own}`;
  return [
    shown.length === 0 ? 'Customers have no price for it yet.' : asTable(shown),
    ...(more > 0 ? [`… and ${more} more`] : []),
    `${
      domain === 'lookup'
        ? 'Lookups without a price are free.'
        : 'Live organisations cannot send to numbers without a price.'
    } Set a price with \`${set}\`.`,
  ].join('\n');
}

function costsOf({ cost }: PricedProvider['settings']): readonly Cost[] {
  const { currency = '', perPart = {} } = (cost ?? {}) as Partial<CostSettings>;
  return Object.entries(perPart).map(([to, amount]) => ({
    to,
    digits: to === 'any' ? '' : /^\d/.test(to) ? to : callingCodeOf(to),
    text: `${currency} ${typeof amount === 'object' ? formatAmounts(amount) : amount}`,
  }));
}

/** By category of WhatsApp: `marketing 50, utility 6`. */
const formatAmounts = (amounts: object): string =>
  Object.entries(amounts)
    .map(([category, amount]) => `${category} ${String(amount)}`)
    .join(', ');

/** That of the longest matching prefix. */
function costAt(costs: readonly Cost[], prefix: string): { readonly cost?: string } {
  const [best] = costs
    .filter(({ digits }) => prefix.startsWith(digits))
    .toSorted((one, other) => other.digits.length - one.digits.length);
  return best ? { cost: best.text } : {};
}
