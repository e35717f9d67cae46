const decimal = /^(-?)(\d{1,15})(?:\.(\d{1,2}))?$/;

/** Fifteen digits: up to here a JSON number distinguishes all amounts of naira. */
const maxKobo = 999_999_999_999_999n;

/** Naira as a JSON number, converted from its decimal text: 123450n is 1234.5. */
export const toNaira = (kobo: bigint): number => Number(formatNaira(kobo));

/** Naira as people read it: 123450n is `1234.50`. */
export function formatNaira(kobo: bigint): string {
  const digits = (kobo < 0n ? -kobo : kobo).toString().padStart(3, '0');
  return `${kobo < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** An amount given as a JSON number; `undefined` if it is not whole kobo, or too large to be exact. */
export const toKobo = (naira: number): bigint | undefined => parseNaira(String(naira));

/** An amount written in decimals, `1234.5`; `undefined` if it is not a number, not whole kobo, or too large. */
export function parseNaira(naira: string): bigint | undefined {
  const [, sign, whole = '', cents = ''] = decimal.exec(naira) ?? [];
  if (sign === undefined) return undefined;
  const kobo = BigInt(whole + cents.padEnd(2, '0'));
  if (kobo > maxKobo) return undefined;
  return sign === '-' ? -kobo : kobo;
}
