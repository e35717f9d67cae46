import type { ContactColumnType, ContactOperator } from '@gangan/contracts';

export interface ModelCell {
  readonly written: string;
  readonly compared: string;
}

/** Character by character: `toLowerCase` of a whole text depends on neighbouring characters. */
const fold = (text: string): string =>
  Array.from(text, (character) => character.toUpperCase().toLowerCase()).join('');

const bytes = (one: string, other: string): number =>
  Math.sign(Buffer.compare(Buffer.from(fold(one)), Buffer.from(fold(other))));

const stripped = (text: string): string => text.replace(/^\s+|(?<!\s)\s+$/g, '');

const listed = (text: string): string[] => text.split(',').map(stripped).filter(Boolean);

/** The compared forms, for the values that the tests generate; `undefined` if a text is not a value of the type. */
const forms: Readonly<Record<ContactColumnType, (text: string) => string | undefined>> = {
  TEXT: (text) => text,
  EMAIL: (text) => text,
  URL: (text) => text,
  SELECT: (text) => text,
  NUMBER: (text) => (/^[+-]?\d+(\.\d+)?$/.test(text) ? String(Number(text) + 0) : undefined),
  DATE: (text) => {
    const [, day, time = 'T00:00', zone = 'Z'] =
      /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
    return day && new Date(`${day}${time}${zone}`).toISOString();
  },
  'PHONE NUMBER': (text) => {
    const [, national, foreign] =
      /^(?:(?:\+234|0)(803123\d{4})|(\+44791112\d{4}))$/.exec(text.replaceAll(' ', '')) ?? [];
    return national ? `+234${national}` : foreign;
  },
  'MULTI SELECT': (text) => {
    const byFold = new Map(listed(text).map((choice) => [fold(choice), choice]));
    return [...byFold.keys()]
      .sort()
      .map((key) => byFold.get(key))
      .join(',');
  },
};

const formOf = (type: ContactColumnType, text: string): string => forms[type](stripped(text)) ?? text;

/** `undefined` for an empty cell. */
export const modelCell = (type: ContactColumnType, given: string): ModelCell | undefined =>
  stripped(given) === ''
    ? undefined
    : { written: type === 'TEXT' ? given : stripped(given), compared: formOf(type, given) };

/** The order of compared forms. The generated numbers are small. */
export const order = (type: ContactColumnType, one: string, other: string): number =>
  type === 'NUMBER' ? Math.sign(Number(one) - Number(other)) : bytes(one, other);

/** Whether a cell matches, according to the documentation. */
export function matches(
  type: ContactColumnType,
  operator: ContactOperator,
  cell: ModelCell | undefined,
  value: string,
): boolean {
  const form = (text: string): string => formOf(type, text);
  const parts = listed(value);
  const seen = (holds: (text: string) => boolean): boolean =>
    cell !== undefined && (holds(fold(cell.written)) || holds(fold(cell.compared)));
  const equals = cell !== undefined && fold(cell.compared) === fold(form(value));
  const ordered = (other: string): number => (cell ? order(type, cell.compared, form(other)) : NaN);
  switch (operator) {
    case 'contain':
      return seen((text) => text.includes(fold(value)));
    case 'not_contain':
      return !seen((text) => text.includes(fold(value)));
    case 'start_with':
      return seen((text) => text.startsWith(fold(value)));
    case 'end_with':
      return seen((text) => text.endsWith(fold(value)));
    case 'equal':
      return equals;
    case 'not_equal':
      return !equals;
    case 'in':
      return type === 'MULTI SELECT'
        ? cell !== undefined &&
            listed(cell.compared).some((one) => parts.some((part) => fold(part) === fold(one)))
        : cell !== undefined && parts.some((part) => fold(cell.compared) === fold(form(part)));
    case 'is_empty':
      return cell === undefined;
    case 'is_not_empty':
      return cell !== undefined;
    case 'greater_than':
    case 'after':
      return ordered(value) > 0;
    case 'less_than':
    case 'before':
      return ordered(value) < 0;
    case 'between':
      return ordered(parts[0] ?? '') >= 0 && ordered(parts[1] ?? '') <= 0;
  }
}
