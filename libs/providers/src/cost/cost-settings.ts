import { isKnownRegion } from '@gangan/contracts';
import { textAt } from '../http/json-values.js';
import { pointer } from '../http/schema.js';
import { parseRecipient } from '../routes/parse-recipient.js';
import { type Cost, isExactAmount, parseMicros, parsePrice } from './money.js';

/** What a provider charges: by a table, or as its answer says. */
export interface CostSettings {
  /** The currency of the table, and of prices in answers that name none. */
  readonly currency: string;
  /** The price of a part of a message, by the first international digits of the recipient, its country (`NG`), or `any`. */
  readonly perPart?: Readonly<Record<string, string | number>>;
  /** Where the answer, or the result of a message or part in it, has the price: a JSON pointer. */
  readonly price?: string;
  /** Where the answer has its currency. */
  readonly priceCurrency?: string;
}

export const costSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['currency'],
  properties: {
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    perPart: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1_000,
      additionalProperties: { type: ['string', 'number'] },
    },
    price: pointer,
    priceCurrency: pointer,
  },
};

/** All faults of settings that have the right shape. */
export function findCostFaults({ perPart, price, priceCurrency }: CostSettings): string[] {
  const entries = Object.entries(perPart ?? {});
  return [
    ...entries
      .filter(([key]) => key !== 'any' && !/^[1-9]\d{0,14}$/.test(key) && !isKnownRegion(key))
      .map(
        ([key]) =>
          `settings.cost.perPart.${key} is not a prefix such as 234803, a country such as NG, or any`,
      ),
    ...entries
      .filter(([, amount]) => !isExactAmount(String(amount)))
      .map(([key]) => `settings.cost.perPart.${key} is not an amount with at most 6 decimals`),
    ...(perPart === undefined && price === undefined ? ['settings.cost has neither perPart nor price'] : []),
    ...(price === undefined && priceCurrency !== undefined
      ? ['settings.cost.priceCurrency needs price']
      : []),
  ];
}

/** The prices of a provider by recipient. */
export class CostTable {
  private readonly prices: ReadonlyMap<string, bigint>;
  private readonly maxPrefix: number;
  private readonly hasCountries: boolean;

  constructor(private readonly settings: CostSettings) {
    const entries = Object.entries(settings.perPart ?? {});
    this.prices = new Map(entries.map(([key, amount]) => [key, parseMicros(String(amount)) ?? 0n]));
    const prefixes = [...this.prices.keys()].filter((key) => /^\d/.test(key));
    this.maxPrefix = Math.max(0, ...prefixes.map(({ length }) => length));
    this.hasCountries = [...this.prices.keys()].some((key) => /^[A-Z]/.test(key));
  }

  /** The longest prefix counts, then the country, then `any`. Undefined if the table has no price for the number. */
  costOf(recipient: string, parts: number): Cost | undefined {
    const perPart = this.pricePerPart(recipient);
    return perPart === undefined
      ? undefined
      : { micros: perPart * BigInt(parts), currency: this.settings.currency };
  }

  private pricePerPart(recipient: string): bigint | undefined {
    for (let length = this.maxPrefix; length > 0; length -= 1) {
      const found = this.prices.get(recipient.slice(1, length + 1));
      if (found !== undefined) return found;
    }
    const country = this.hasCountries ? parseRecipient(recipient)?.country : undefined;
    return this.prices.get(country ?? 'any') ?? this.prices.get('any');
  }
}

/** The cost in an answer; undefined if there is none, or it cannot be read. */
export function costInAnswer(
  { currency, price, priceCurrency }: CostSettings,
  document: unknown,
): Cost | undefined {
  if (price === undefined) return undefined;
  const named = priceCurrency === undefined ? undefined : textAt(document, priceCurrency);
  const cost = parsePrice(textAt(document, price) ?? '', named ?? currency);
  return cost && /^[A-Z]{3}$/.test(cost.currency) ? cost : undefined;
}
