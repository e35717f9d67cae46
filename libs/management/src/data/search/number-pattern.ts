import { type ParsedPhone, parsePhone } from '@gangan/contracts';

/** Regular expressions that mean the same to JavaScript and to Postgres. */

/** The separators that `parsePhone` accepts. */
const character = '[ ().\u00a0\u2010-\u2013-]';
const separator = `${character}{0,3}`;
const spread = (digits: string): string => digits.split('').join(separator);

export interface NumberPatterns {
  /** Finds the digits of the number. It is fast, and decides whether a text is searched with `text`. */
  readonly digits: string;
  /** Finds the number in a text, in all its notations. */
  readonly text: string;
  /** Matches a value that is the number and nothing else. */
  readonly exact: string;
}

export const noPatterns: NumberPatterns = { digits: '', text: '', exact: '' };

/** @param region the country of numbers without a country code */
export const patternsOf = (phone: ParsedPhone, region?: string): NumberPatterns => ({
  digits: spread(phone.nationalNumber),
  text: textPatternOf(phone, region),
  exact: exactPatternOf(phone, region),
});

/** Fewer digits without `+` are more often an order or an amount than a phone number. */
const minBareDigits = 8;
const maxDigits = 15;
const maxCallingCode = 999;

/** The international notation has `+` or `00`. The bare ones are those that `parsePhone` reads as the number. */
function notationsOf({ e164, callingCode, nationalNumber }: ParsedPhone, region?: string, minDigits = 0) {
  const means = (text: string): boolean => parsePhone(text, region)?.e164 === e164;
  const isBare = (digits: string): boolean => digits.length >= minDigits && means(digits);
  const national = spread(nationalNumber);
  const trunk = means(`+${callingCode}0${nationalNumber}`) ? `0?${separator}` : '';
  const full = `${spread(callingCode)}${separator}${trunk}${national}`;
  const bare = [
    ...(isBare(`${callingCode}${nationalNumber}`) ? [full] : []),
    // `0.8034234567` is an amount.
    ...(isBare(`0${nationalNumber}`) ? [`0${separator.replace('.', '')}${national}`] : []),
    ...(isBare(nationalNumber) ? [national] : []),
  ];
  return { international: `(?:[+]|00)${separator}${full}`, bare };
}

/**
 * Finds the number in a text. Digits are not a match if they are a part of a longer number, of a decimal, or of a number
 * with another calling code.
 */
function textPatternOf(phone: ParsedPhone, region?: string): string {
  const { nationalNumber } = phone;
  const { international, bare } = notationsOf(phone, region, minBareDigits);
  const ending = '(?![.]?[0-9])';
  const strict = `(?:(?<![0-9])|(?=[+]))${international}${ending}`;
  if (bare.length === 0) return strict;
  const earlierDigits = `(?:${separator}[0-9]){0,${maxDigits - nationalNumber.length}}${separator}`;
  const others = otherCallingCodes(phone, region);
  const notAfter = [
    '[0-9]',
    '[0-9][.]',
    `[+]${earlierDigits}`,
    `(?:^|[^0-9])00${earlierDigits}`,
    ...(others.length > 0
      ? [`(?:^|[^0-9])(?:${others.join('|')})${character}{1,3}(?:0${character}{1,3})?`]
      : []),
  ].map((text) => `(?<!${text})`);
  return `(?:${strict}|${notAfter.join('')}(?:${bare.join('|')})${ending})`;
}

function exactPatternOf(phone: ParsedPhone, region?: string): string {
  const { international, bare } = notationsOf(phone, region);
  return `^${separator}(?:${[international, ...bare].join('|')})${separator}$`;
}

/** Calling codes that make a number of somebody else of the digits, also if they are written without `+`. */
function otherCallingCodes({ e164, nationalNumber }: ParsedPhone, region?: string): number[] {
  return Array.from({ length: maxCallingCode }, (_, index) => index + 1).filter((code) =>
    [`${code}${nationalNumber}`, `${code}0${nationalNumber}`].some((digits) => {
      const other = parsePhone(digits, region);
      return other !== undefined && other.e164 !== e164;
    }),
  );
}

/** For text in which each byte that is not ASCII is a space: a separator has up to three bytes. */
export const inBytesOf = (pattern: string): string =>
  pattern.replaceAll(separator, '[ ().-]{0,9}').replaceAll(character, '[ ().-]');
