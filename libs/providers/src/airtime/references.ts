import { isId } from '@gangan/protocol';

const lagosOffsetMs = 3_600_000;
/** Ids of this century have as many digits in base 36. */
const idDigits = 24;

/** For VTpass: the time in Lagos to the second, then the whole id. The first twelve digits are what it requires. */
export function vtpassReference(purchaseId: string, now: Date): string {
  const time = new Date(now.getTime() + lagosOffsetMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return (
    time +
    BigInt(`0x${purchaseId.replaceAll('-', '')}`)
      .toString(36)
      .padStart(idDigits, '0')
  );
}

/** Different for every submission: a provider may refuse a reference that it has seen, even if it bought nothing. */
export const submissionReference = (purchaseId: string, now: Date): string =>
  `${purchaseId}-${now.getTime().toString(36)}`;

/** The id of the purchase in one of our references, also of earlier versions. */
export function purchaseIdOf(reference: string): string | undefined {
  const given = reference.trim().toLowerCase();
  const [, digits] = /^\d{12}(?:\d\d)?([0-9a-z]{24})$/.exec(given) ?? [];
  const id = digits === undefined ? given.slice(0, 36) : toUuid(parseBase36(digits));
  return isId(id) ? id : undefined;
}

const parseBase36 = (digits: string): bigint =>
  Array.from(digits).reduce((value, digit) => value * 36n + BigInt(Number.parseInt(digit, 36)), 0n);

const toUuid = (value: bigint): string =>
  value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
