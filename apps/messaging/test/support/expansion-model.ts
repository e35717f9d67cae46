import { measureText, parsePhone, type SmartlistRow } from '@gangan/contracts';

/** What ought to become of one recipient. */
export interface Expected {
  readonly text: string;
  /** Undefined if there is no price. */
  readonly kobo: bigint | undefined;
}

export interface Expectation {
  readonly byNumber: ReadonlyMap<string, Expected>;
  readonly duplicates: number;
  readonly withoutNumber: number;
  readonly unsendable: number;
  readonly kobo: bigint;
}

/** `elsewhere` holds for test organisations only. */
export const prices = { nigeria: 400n, elsewhere: 2_000n };

/** Row by row, as one would do it by hand. */
export function expectationOf(
  rows: readonly SmartlistRow[],
  textOf: (name: string) => string,
  mode: 'live' | 'test',
): Expectation {
  const elsewhere = mode === 'test' ? prices.elsewhere : undefined;
  const byNumber = new Map<string, Expected>();
  let [duplicates, withoutNumber, unsendable, kobo] = [0, 0, 0, 0n];
  for (const { phone = '', cells } of rows) {
    const number = parsePhone(phone)?.e164;
    const text = textOf(cells['Name'] ?? '');
    const { pages } = measureText(text);
    if (number === undefined) withoutNumber += 1;
    else if (text.trim() === '' || text.length > 1_600 || pages > 10) unsendable += 1;
    else if (byNumber.has(number)) duplicates += 1;
    else {
      const price = number.startsWith('+234') ? prices.nigeria : elsewhere;
      const cost = price === undefined ? undefined : BigInt(pages) * price;
      byNumber.set(number, { text, kobo: cost });
      kobo += cost ?? 0n;
    }
  }
  return { byNumber, duplicates, withoutNumber, unsendable, kobo };
}
