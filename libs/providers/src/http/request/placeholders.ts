import { gsmPatterns } from '@gangan/contracts';
import type { Encoding } from './request-settings.js';

/** The names that may stand in braces in a request. Secrets are `{secret.NAME}`. */
export const messagePlaceholders = ['recipient', 'recipient_digits', 'sender', 'text', 'reference'] as const;

/**
 * `recipient_national`: without the country code and the `0` that is dialled before it. `report_url`: where reports about the
 * message go. `encoding`: the name of the encoding that the text needs. `timestamp`: the seconds since 1970.
 */
export const requestPlaceholders = [
  ...messagePlaceholders,
  'recipient_national',
  'report_url',
  'encoding',
  'timestamp',
] as const;

/** The forms of recipients. With `batch.separator` they are lists. */
export const recipientForms = requestPlaceholders.filter((name) => name.startsWith('recipient'));

export type MessageValues = Readonly<Record<(typeof messagePlaceholders)[number], string>>;
/** A function is called only if a template has the name. */
export type PlaceholderValues = Readonly<Record<string, string | (() => string)>>;

const isGsm = new RegExp(gsmPatterns.extended);

export const encodingOf = ({ text }: Pick<MessageValues, 'text'>): Encoding =>
  isGsm.test(text) ? 'plain' : 'unicode';

/** Matches more than the known names, so that `{Sender}` and `{ sender }` are reported and not sent literally. */
const inBraces = /\{(\s*[A-Za-z][\w.-]*\s*)\}/g;

/** Replaces the placeholders by their values, which are not expanded again. */
export const fill = (
  template: string,
  values: PlaceholderValues,
  encode: (value: string) => string = (value) => value,
): string =>
  template.replace(inBraces, (braced, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? braced : encode(typeof value === 'string' ? value : value());
  });

/** Replaces the placeholders in every string of a JSON document. */
export function fillAll(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') return fill(template, values);
  return mapValues(template, (value) => fillAll(value, values));
}

/** Applies a function to the values of an object or a list. */
export function mapValues(template: unknown, map: (value: unknown, name: string) => unknown): unknown {
  if (Array.isArray(template)) return template.map((item, index) => map(item, String(index)));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, map(value, name)]));
}

/** All names in braces in the strings of a JSON document. */
export function findNames(template: unknown): string[] {
  if (typeof template === 'string') return [...template.matchAll(inBraces)].map(([, name = '']) => name);
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(findNames);
}
