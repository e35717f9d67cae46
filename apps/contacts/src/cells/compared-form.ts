import { type ContactColumnType, parseTimestamp, parsePhone } from '@gangan/contracts';

const number = /^([+-]?)0*(\d{1,30})(?:\.(\d{1,20}))?$/;

/** Years have four digits; a longer timestamp would not sort as text. */
const isoLength = '2026-11-15T09:30:00.123Z'.length;

type Form = (text: string, region?: string) => string | undefined;

const asWritten: Form = (text) => text;

/**
 * The form in which values of a type are compared: `08031234567` and `+234 803 123 4567` are the same number.
 * `undefined` if the text is not a value of the type.
 */
const forms: Readonly<Record<ContactColumnType, Form>> = {
  TEXT: (text) => text.trim(),
  NUMBER: normalizeNumber,
  DATE: normalizeTime,
  'PHONE NUMBER': (text, region) => parsePhone(text, region)?.e164,
  EMAIL: asWritten,
  URL: asWritten,
  SELECT: asWritten,
  'MULTI SELECT': normalizeChoices,
};

/** @param region the country of phone numbers without a country code */
export const comparedForm = (type: ContactColumnType, text: string, region?: string): string | undefined =>
  forms[type](text, region);

/** The options of a MULTI SELECT cell. */
export const splitChoices = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((choice) => choice.trim())
      .filter((choice) => choice !== ''),
  ),
];

/** Folds case character by character: `toLowerCase` of a whole text depends on neighbouring characters. */
const folded = (text: string): string =>
  Array.from(text, (character) => character.toLowerCase().toUpperCase().toLowerCase()).join('');

/** Sorts the choices without regard to case. */
function normalizeChoices(text: string): string {
  const choices = new Map(splitChoices(text).map((choice) => [folded(choice), choice]));
  return [...choices.keys()]
    .sort()
    .map((key) => choices.get(key))
    .join(',');
}

/** Removes a plus sign, superfluous zeros and the sign of a negative zero. */
function normalizeNumber(text: string): string | undefined {
  const [, sign, whole = '', decimals = ''] = number.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const rest = decimals.replace(/(?<!0)0+$/, '');
  const size = rest === '' ? whole : `${whole}.${rest}`;
  return sign === '-' && size !== '0' ? `-${size}` : size;
}

/** The time in UTC and of fixed length, so that its order as text is its order in time. */
function normalizeTime(text: string): string | undefined {
  const iso = parseTimestamp(text)?.toISOString();
  return iso?.length === isoLength ? iso : undefined;
}
