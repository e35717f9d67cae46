import type { ParsedPhone } from '@gangan/contracts';

/** The names that may stand in braces in the URL, the headers and the body of a request. */
export const placeholders = ['e164', 'digits', 'national', 'country', 'secret'] as const;
type Placeholder = (typeof placeholders)[number];
export type TemplateValues = Readonly<Record<Placeholder, string>>;

const inBraces = /\{([A-Za-z0-9_]+)\}/g;

export const templateValues = (
  { e164, nationalNumber, country = '' }: Pick<ParsedPhone, 'e164' | 'nationalNumber' | 'country'>,
  secret = '',
): TemplateValues => ({ e164, digits: e164.slice(1), national: nationalNumber, country, secret });

/** Replaces the placeholders by their values. */
export const fill = (
  template: string,
  values: TemplateValues,
  encode: (value: string) => string = (value) => value,
): string =>
  template.replace(inBraces, (braced, name: string) => (isPlaceholder(name) ? encode(values[name]) : braced));

/** Replaces the placeholders in every string of a JSON document. */
export function fillAll(template: unknown, values: TemplateValues): unknown {
  if (typeof template === 'string') return fill(template, values);
  if (Array.isArray(template)) return template.map((item) => fillAll(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillAll(value, values)]));
}

/** All names in braces in a JSON document. */
export const findNames = (template: unknown): string[] =>
  [...JSON.stringify(template).matchAll(inBraces)].map(([, name = '']) => name);

export const isPlaceholder = (name: string): name is Placeholder =>
  (placeholders as readonly string[]).includes(name);
