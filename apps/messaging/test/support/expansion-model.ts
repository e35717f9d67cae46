import { measureText, parsePhone, type SmartlistRow } from '@gangan/contracts';

/** What ought to become of one recipient. */
export interface Expected {
  readonly text: string;
  readonly kobo: bigint;
}

export interface Expectation {
  readonly byNumber: ReadonlyMap<string, Expected>;
  readonly duplicates: number;
  readonly withoutNumber: number;
  readonly unsendable: number;
  readonly kobo: bigint;
}

export const prices = { nigeria: 400n, elsewhere: 2_000n };

/** Row by row, as one would do it by hand. */
export function expectationOf(rows: readonly SmartlistRow[], textOf: (name: string) => string): Expectation {
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
      const price = BigInt(pages) * (number.startsWith('+234') ? prices.nigeria : prices.elsewhere);
      byNumber.set(number, { text, kobo: price });
      kobo += price;
    }
  }
  return { byNumber, duplicates, withoutNumber, unsendable, kobo };
}
