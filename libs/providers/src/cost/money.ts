/** What a provider charges, in millionths of its currency. Never a floating-point number. */
export interface Cost {
  readonly micros: bigint;
  /** ISO 4217, such as NGN. */
  readonly currency: string;
}

export const microsPerKobo = 10_000n;

const decimals = 6;
/** Up to nine digits: the sum of all parts of a message can be stored. */
const decimal = /^(\d{1,9})(?:\.(\d{1,18}))?$/;

/** `3.5` in millionths, rounded half up. Undefined if it is not a decimal number, is negative, or is too large. */
export function parseMicros(text: string): bigint | undefined {
  const [, whole, fraction = ''] = decimal.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return fraction.charAt(decimals) >= '5' ? kept + 1n : kept;
}

/** Whether an amount can be stored without rounding. */
export const isExactAmount = (text: string): boolean =>
  decimal.test(text) && (text.split('.')[1]?.length ?? 0) <= decimals;

/** Exact, with at least two decimals: 3_500_000n is `3.50`. */
export function formatMicros(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0{1,4}$/, '');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${fraction}`;
}

/** An amount at an exchange rate, itself in millionths, rounded half up. */
export const convertMicros = (micros: bigint, rateMicros: bigint): bigint =>
  (micros * rateMicros + 500_000n) / 1_000_000n;

/** The sum; undefined if a cost is not known, or if the currencies differ. */
export function sumCosts(costs: readonly (Cost | undefined)[]): Cost | undefined {
  const [first] = costs;
  if (!first || !costs.every((cost) => cost?.currency === first.currency)) return undefined;
  return { currency: first.currency, micros: costs.reduce((sum, cost) => sum + (cost?.micros ?? 0n), 0n) };
}

const price = /^(?:([A-Z]{3}) ?)?-?(\d+(?:\.\d+)?)(?: ?([A-Z]{3}))?$/;

/**
 * A price as a provider writes it: `0.0333`, `KES 0.80`, `-0.0075`. The sign is ignored, because some providers write
 * charges as negative numbers.
 * @param currency the currency if the price names none
 */
export function parsePrice(text: string, currency?: string): Cost | undefined {
  const [, before, amount = '', after] = price.exec(text.trim()) ?? [];
  const micros = parseMicros(amount);
  const named = before ?? after ?? currency;
  return micros === undefined || named === undefined ? undefined : { micros, currency: named };
}
