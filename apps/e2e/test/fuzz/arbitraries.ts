import fc from 'fast-check';
import type { DocumentedApi, Schema } from '../interface/documented-api.js';
import type { KnownIds } from '../interface/example.js';

const digits = (length: number) =>
  fc.nat(10 ** length - 1).map((number) => String(number).padStart(length, '0'));

const nigerian = fc.oneof(
  fc.constantFrom('08031234567', '0803 123 4567', '+2347000000009'),
  digits(7).map((rest) => `+234803${rest}`),
  digits(7).map((rest) => `0803${rest}`),
);
const phone = fc.oneof({ weight: 4, arbitrary: nigerian }, fc.constantFrom('+447911123456', '447911123456'));

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  phone,
  'nigerian-phone': nigerian,
  phones: fc.array(phone, { minLength: 1, maxLength: 5 }).map((phones) => phones.join(', ')),
  recipient: phone,
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString()),
  uuid: fc.uuid(),
  // The system may call it, so it leads to this machine.
  uri: fc.webPath().map((path) => `http://127.0.0.1:9${path}`),
  email: fc.emailAddress(),
};

/** Values that match a schema; references also use known ids. */
export function arbitraryOf(schema: Schema, api: DocumentedApi, known: KnownIds = {}): fc.Arbitrary<unknown> {
  const { allOf = [], ...own } = api.resolve<Schema>(schema);
  const patterns = [own, ...allOf].flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  const {
    type,
    properties = {},
    required = [],
    items,
    examples,
    ...rest
  } = Object.assign(own, ...allOf) as Schema;
  if (rest.enum) return fc.constantFrom(...rest.enum);
  switch (type) {
    case 'string':
      return text({ ...rest, patterns }, examples);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: rest.minimum ?? -1_000, max: rest.maximum ?? 1_000_000 });
    case 'number':
      // All decimals in the API are amounts, with two digits.
      return fc
        .integer({ min: (rest.minimum ?? -1_000) * 100, max: (rest.maximum ?? 1e6) * 100 })
        .map((hundredths) => hundredths / 100);
    case 'array':
      return fc.array(items ? arbitraryOf(items, api, known) : fc.jsonValue(), {
        maxLength: Math.min(rest.maxItems ?? 5, 5),
      });
    case 'object': {
      const { column_id: column } = known;
      // An object without named properties contains cells by column id.
      const isOpen = Object.keys(properties).length === 0;
      const named = isOpen && column !== undefined ? { [column]: { type: 'string' } } : properties;
      const fields = Object.entries(named).map(([name, inner]) => {
        const any = arbitraryOf(inner, api, known);
        return [name, known[name] === undefined ? any : fc.oneof(any, fc.constant(known[name]))] as const;
      });
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
    }
    case undefined:
    default:
      return fc.jsonValue();
  }
}

function text(
  { format, patterns, minLength = 0, maxLength = 60 }: Schema & { readonly patterns: readonly string[] },
  examples?: readonly unknown[],
) {
  const known = examples?.map((example) => fc.constant(example)) ?? [];
  const formatted = format === undefined ? undefined : formats[format];
  if (formatted) return format === 'uri' ? formatted : fc.oneof(...known, formatted);
  const wanted = patterns.map((pattern) => new RegExp(pattern, 'u'));
  const isWanted = (value: string): boolean => wanted.every((pattern) => pattern.test(value));
  const whole = patterns.find((pattern) => pattern.startsWith('^'));
  const free = (
    whole === undefined
      ? fc
          .string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, minLength + 60) })
          .filter((value) => !value.includes('\0'))
      : fc.stringMatching(new RegExp(whole))
  ).filter(isWanted);
  const longest = longestOf(maxLength).filter(isWanted);
  return fc.oneof(...known, free, ...(longest.length > 0 ? [fc.constantFrom(...longest)] : []));
}

/** Short enough that several fit into a body. */
const mostWhole = 2_000;

/** Of maximum length, in characters of one to four bytes, and in pairs that look like one character. */
const longestOf = (length: number): string[] =>
  length > mostWhole
    ? []
    : ['x', 'é', '中', '😀', '❤\ufe0f'].map((unit) =>
        Array.from(unit.repeat(length)).slice(0, length).join(''),
      );
