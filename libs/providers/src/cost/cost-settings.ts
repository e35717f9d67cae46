import { isKnownRegion } from '@gangan/contracts';
import { textAt } from '../http/json-values.js';
import { pointer } from '../http/schema.js';
import { parseRecipient } from '../routes/parse-recipient.js';
import { type Cost, isExactAmount, parseMicros, parsePrice } from './money.js';

type Amount = string | number;

/** What a provider charges: by a table, or as its answer says. */
export interface CostSettings {
  /** The currency of the table, and of prices in answers and reports that name none. */
  readonly currency: string;
  /**
   * The price of a part of a message, or of a lookup, by the first international digits of the number, its country (`NG`),
   * or `any`. Of WhatsApp it may have prices by category: `marketing`, `utility`, …, `any`.
   */
  readonly perPart?: Readonly<Record<string, Amount | Readonly<Record<string, Amount>>>>;
  /** Where the answer, or the result of a message or part in it, has the price: a JSON pointer. */
  readonly price?: string;
  /** Where the answer has its currency. */
  readonly priceCurrency?: string;
  /** An accepted message costs nothing until it is delivered. Set by WhatsApp only, not by operators. */
  readonly onlyDelivered?: true;
}

const amount = { type: ['string', 'number'] };
const tableOf = (value: object): object => ({
  type: 'object',
  minProperties: 1,
  maxProperties: 1_000,
  additionalProperties: value,
});
const settingsWith = (properties: object): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['currency'],
  properties: { currency: { type: 'string', pattern: '^[A-Z]{3}$' }, ...properties },
});

export const costSchema = settingsWith({ perPart: tableOf(amount), price: pointer, priceCurrency: pointer });

export const costByCategorySchema = settingsWith({
  perPart: tableOf({
    type: [...amount.type, 'object'],
    minProperties: 1,
    maxProperties: 20,
    propertyNames: { type: 'string', pattern: '^[a-z][a-z_]{0,31}$' },
    additionalProperties: amount,
  }),
});

/**
 * All faults of settings that have the right shape.
 * @param hasReportedPrices whether reports have prices, so that the settings may have nothing but the currency
 */
export function findCostFaults(
  { perPart, price, priceCurrency }: CostSettings,
  hasReportedPrices = false,
): string[] {
  const entries = Object.entries(perPart ?? {});
  const amounts = entries.flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([category, own]) => [`${key}.${category}`, own] as const)
      : [[key, value] as const],
  );
  return [
    ...entries
      .filter(([key]) => key !== any && !/^[1-9]\d{0,14}$/.test(key) && !isKnownRegion(key))
      .map(
        ([key]) =>
          `settings.cost.perPart.${key} is not a prefix such as 234803, a country such as NG, or any`,
      ),
    ...amounts
      .filter(([, value]) => !isExactAmount(String(value)))
      .map(([key]) => `settings.cost.perPart.${key} is not an amount with at most 6 decimals`),
    ...(perPart === undefined && price === undefined && !hasReportedPrices
      ? ['settings.cost has neither perPart nor price']
      : []),
    ...(price === undefined && priceCurrency !== undefined
      ? ['settings.cost.priceCurrency needs price']
      : []),
  ];
}

/** Stands for all numbers, and for all categories. */
const any = 'any';

/** The prices of a provider by number. */
export class CostTable {
  /** Prices by number, then by category. */
  private readonly prices: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
  private readonly maxPrefix: number;
  private readonly hasCountries: boolean;

  constructor(private readonly settings: CostSettings) {
    const entries = Object.entries(settings.perPart ?? {});
    this.prices = new Map(entries.map(([key, value]) => [key, pricesOf(value)]));
    const prefixes = [...this.prices.keys()].filter((key) => /^\d/.test(key));
    this.maxPrefix = Math.max(0, ...prefixes.map(({ length }) => length));
    this.hasCountries = [...this.prices.keys()].some((key) => /^[A-Z]/.test(key));
  }

  /**
   * The longest prefix counts, then the country, then `any`; one without a price for the category is passed over. Undefined
   * if the table has no price for the number.
   */
  costOf(recipient: string, parts: number, category = any): Cost | undefined {
    for (const key of this.keysOf(recipient)) {
      const prices = this.prices.get(key);
      const price = prices?.get(category) ?? prices?.get(any);
      if (price !== undefined) return { micros: price * BigInt(parts), currency: this.settings.currency };
    }
    return undefined;
  }

  private *keysOf(recipient: string): Generator<string> {
    for (let length = this.maxPrefix; length > 0; length -= 1) yield recipient.slice(1, length + 1);
    const country = this.hasCountries ? parseRecipient(recipient)?.country : undefined;
    if (country !== undefined) yield country;
    yield any;
  }
}

const pricesOf = (value: Amount | Readonly<Record<string, Amount>>): Map<string, bigint> =>
  new Map(
    Object.entries(typeof value === 'object' ? value : { [any]: value }).map(([category, own]) => [
      category,
      parseMicros(String(own)) ?? 0n,
    ]),
  );

const tables = new WeakMap<CostSettings, CostTable>();

/** Reports are read request by request: the table of the same settings is made once. */
export function costTableOf(settings: CostSettings): CostTable {
  const table = tables.get(settings) ?? new CostTable(settings);
  tables.set(settings, table);
  return table;
}

/** The cost in an answer or a report; undefined if there is none, or it cannot be read. */
export function costInAnswer(
  {
    currency,
    price,
    priceCurrency,
  }: Pick<CostSettings, 'price' | 'priceCurrency'> & { readonly currency: string | undefined },
  document: unknown,
): Cost | undefined {
  if (price === undefined) return undefined;
  const named = priceCurrency === undefined ? undefined : textAt(document, priceCurrency);
  const cost = parsePrice(textAt(document, price) ?? '', named ?? currency);
  return cost && /^[A-Z]{3}$/.test(cost.currency) ? cost : undefined;
}
