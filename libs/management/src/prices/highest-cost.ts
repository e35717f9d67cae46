import { listPrices, pricesOf } from '@gangan/billing';
import { callingCodeOf } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { type CostSettings, microsPerKobo, parseMicros } from '@gangan/providers';
import type { PriceId } from './prices.js';

/** How WhatsApp calls the categories of messages. */
const providerCategories: Readonly<Record<string, string>> = {
  promotional: 'marketing',
  transactional: 'utility',
  otp: 'authentication',
};

/**
 * The most that an enabled provider charges, in kobo and rounded up, for a part or lookup that has this price. Undefined if no
 * settings say so in naira: other currencies have no rate here.
 */
export async function highestCost(database: Database, id: PriceId): Promise<bigint | undefined> {
  const { service, prefix, category, organisation } = id;
  const providers = await database.provider.findMany({
    where: {
      enabled: true,
      ...(service === 'lookup'
        ? { domains: { has: 'lookup' } }
        : { domains: { has: 'message' }, channels: { has: service } }),
      ...(organisation && { OR: [{ organisationId: null }, { organisationId: organisation.id }] }),
    },
  });
  const rows = organisation ? await pricesOf(database, organisation.id) : await listPrices(database);
  // Numbers with a longer price of their own do not have this one.
  const longer = rows.filter(
    (row) => row.service === service && row.prefix.startsWith(prefix) && row.prefix.length > prefix.length,
  );
  const costs = providers.flatMap(({ settings }) => costsFor(settings, prefix, category));
  return costs
    .filter(({ digits }) => !longer.some((row) => digits.startsWith(row.prefix)))
    .map(({ micros }) => (micros + microsPerKobo - 1n) / microsPerKobo)
    .reduce<bigint | undefined>(
      (highest, kobo) => (highest === undefined || kobo > highest ? kobo : highest),
      undefined,
    );
}

interface PrefixCost {
  readonly digits: string;
  readonly micros: bigint;
}

/** Of the numbers that begin with the prefix: what the best shorter entry says, and all longer ones. */
function costsFor(settings: unknown, prefix: string, category: string): PrefixCost[] {
  const { cost } = settings as { readonly cost?: CostSettings };
  if (cost?.currency !== 'NGN') return [];
  const costs = Object.entries(cost.perPart ?? {}).flatMap(([key, amount]) => {
    const micros = highestOf(amount, category);
    return micros === undefined ? [] : [{ digits: digitsOf(key), micros }];
  });
  const longer = costs.filter(({ digits }) => digits.startsWith(prefix) && digits !== prefix);
  return [longestMatch(costs, prefix) ?? [], longer].flat();
}

/** The entry with the most digits that the prefix begins with. */
export const longestMatch = <T extends { readonly digits: string }>(entries: readonly T[], prefix: string) =>
  entries
    .filter(({ digits }) => prefix.startsWith(digits))
    .toSorted((one, other) => other.digits.length - one.digits.length)
    .at(0);

/** With which digits the numbers of an entry of `cost.perPart` begin. */
export const digitsOf = (key: string): string =>
  key === 'any' ? '' : /^\d/.test(key) ? key : callingCodeOf(key);

function highestOf(
  amount: string | number | Readonly<Record<string, string | number>>,
  category: string,
): bigint | undefined {
  if (typeof amount !== 'object') return parseMicros(String(amount));
  const own = amount[providerCategories[category] ?? ''] ?? (category === '' ? undefined : amount['any']);
  const amounts = own === undefined ? Object.values(amount) : [own];
  return amounts
    .flatMap((each) => parseMicros(String(each)) ?? [])
    .reduce<bigint | undefined>(
      (highest, each) => (highest === undefined || each > highest ? each : highest),
      undefined,
    );
}
