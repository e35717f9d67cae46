import { type ContactColumnType, parseTimestamp, parsePhone } from '@gangan/contracts';

const number = /^([+-]?)0*(\d{1,30})(?:\.(\d{1,20}))?$/;

/** A moment of the years that four digits can tell. */
const isoLength = '2026-11-15T09:30:00.123Z'.length;

type Form = (text: string) => string | undefined;

const asWritten: Form = (text) => text;

/**
 * The form in which a value is held against others of its type: `08031234567` and `+234 803 123 4567` are the same
 * number. `undefined` for what is none of the type.
 */
const forms: Readonly<Record<ContactColumnType, Form>> = {
  TEXT: (text) => text.trim(),
  NUMBER: plainNumber,
  DATE: plainMoment,
  'PHONE NUMBER': (text) => parsePhone(text)?.e164,
  EMAIL: asWritten,
  URL: asWritten,
  SELECT: asWritten,
  'MULTI SELECT': plainChoices,
};

export const comparedForm = (type: ContactColumnType, text: string): string | undefined => forms[type](text);

/** The single options of a MULTI SELECT cell. */
export const choicesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((choice) => choice.trim())
      .filter((choice) => choice !== ''),
  ),
];

/** Without case, as values are compared. Character by character: a whole text would be folded by its neighbours too. */
const folded = (text: string): string =>
  Array.from(text, (character) => character.toLowerCase().toUpperCase().toLowerCase()).join('');

/** In an order that no case changes. */
function plainChoices(text: string): string {
  const choices = new Map(choicesOf(text).map((choice) => [folded(choice), choice]));
  return [...choices.keys()]
    .sort()
    .map((key) => choices.get(key))
    .join(',');
}

/** Without a plus, idle zeros or a minus before zero. */
function plainNumber(text: string): string | undefined {
  const [, sign, whole = '', decimals = ''] = number.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const rest = decimals.replace(/0+$/, '');
  const size = rest === '' ? whole : `${whole}.${rest}`;
  return sign === '-' && size !== '0' ? `-${size}` : size;
}

/** In UTC and of one length, so that its order as text is that of time. */
function plainMoment(text: string): string | undefined {
  const iso = parseTimestamp(text)?.toISOString();
  return iso?.length === isoLength ? iso : undefined;
}
