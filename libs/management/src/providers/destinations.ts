import { listPrices, PriceList, pricesOf } from '@gangan/billing';
import type { Database } from '@gangan/database';
import type { CostSettings } from '@gangan/providers';
import { digitsOf, longestMatch } from '../prices/highest-cost.js';
import type { ProviderDefinition } from './definition.js';
import type { JsonObject } from './merge.js';

/** Numbers that customers have a price for, or that the provider names a cost for: a prefix, a country, or `any`. */
export type Destination = Awaited<ReturnType<typeof findDestinations>>[number];

/** What customers pay in kobo for what a provider does (null: no price), and what it charges as far as its settings say. */
export async function findDestinations(
  database: Database,
  { organisationId, domain, channels, settings }: ProviderDefinition,
) {
  const rows =
    organisationId === null
      ? (await listPrices(database)).filter(({ testOnly }) => !testOnly)
      : await pricesOf(database, organisationId);
  const services = domain === 'message' ? channels : domain === 'lookup' ? (['lookup'] as const) : [];
  const costs = costsOf(settings);
  return services.flatMap((service) => {
    const prices = new PriceList(rows).tableOf(service);
    const priced = rows.filter((row) => row.service === service);
    const unpriced = costs.filter(({ digits }) => !priced.some(({ prefix }) => prefix === digits));
    return [
      ...priced.map(({ prefix, category, kobo }) => ({
        ...{ digits: prefix, to: prefix === '' ? 'any' : prefix, price: kobo },
        ...(category !== '' && { category }),
      })),
      ...unpriced.map(({ digits, to }) => ({ digits, to, price: prices.priceOf(`+${digits}`) ?? null })),
    ]
      .toSorted((one, other) => (one.digits < other.digits ? -1 : 1))
      .map(({ digits, ...destination }) => {
        const cost = longestMatch(costs, digits)?.text;
        return { service, ...destination, ...(cost !== undefined && { cost }) };
      });
  });
}

function costsOf({ cost }: JsonObject) {
  const { currency = '', perPart = {} } = (cost ?? {}) as Partial<CostSettings>;
  return Object.entries(perPart).map(([to, amount]) => ({
    to,
    digits: digitsOf(to),
    text: `${currency} ${typeof amount === 'object' ? formatAmounts(amount) : amount}`,
  }));
}

/** By category of WhatsApp: `marketing 50, utility 6`. */
const formatAmounts = (amounts: object): string =>
  Object.entries(amounts)
    .map(([category, amount]) => `${category} ${String(amount)}`)
    .join(', ');
