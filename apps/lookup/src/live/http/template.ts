import type { ParsedPhone } from '@gangan/contracts';

/** What may stand in braces in the URL, the headers and the body of a request. */
export const placeholders = ['e164', 'digits', 'national', 'country', 'secret'] as const;
export type Placeholder = (typeof placeholders)[number];
export type Values = Readonly<Record<Placeholder, string>>;

const inBraces = /\{([A-Za-z0-9_]+)\}/g;

export const valuesOf = (
  { e164, nationalNumber, country = '' }: Pick<ParsedPhone, 'e164' | 'nationalNumber' | 'country'>,
  secret = '',
): Values => ({ e164, digits: e164.slice(1), national: nationalNumber, country, secret });

/** Puts the values in the place of their names; everything else stays as it is. */
export const fill = (
  template: string,
  values: Values,
  encode: (value: string) => string = (value) => value,
): string =>
  template.replace(inBraces, (braced, name: string) => (isPlaceholder(name) ? encode(values[name]) : braced));

/** The same in every text of a JSON document. */
export function fillAll(template: unknown, values: Values): unknown {
  if (typeof template === 'string') return fill(template, values);
  if (Array.isArray(template)) return template.map((item) => fillAll(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillAll(value, values)]));
}

/** The names in braces, wherever they stand. */
export const namesIn = (template: unknown): string[] =>
  [...JSON.stringify(template).matchAll(inBraces)].map(([, name = '']) => name);

export const isPlaceholder = (name: string): name is Placeholder =>
  (placeholders as readonly string[]).includes(name);
