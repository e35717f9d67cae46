import { toNetworkName } from '../numbering-plan.js';
import { type LiveField, type LiveFinding, ProviderError } from './live-provider.js';
import type { FieldRule, ProviderFile } from './provider-file.js';

const maxOperatorLength = 64;

/**
 * Reads a response by the rules of the file. A value that is not valid for its field is ignored.
 * @throws ProviderError if the response contains none of the fields: it is some other document, such as an error
 */
export function readResponse(rules: ProviderFile['answer'], response: unknown): LiveFinding {
  if (Object.values(rules).every(({ pointer }) => valueAt(response, pointer) === undefined)) {
    throw new ProviderError('its response has none of the fields', true);
  }
  const read = (field: LiveField): unknown => readField(rules[field], response);
  const finding = {
    operator: toOperator(read('operator')),
    country: toCountry(read('country')),
    ported: toFlag(read('ported')),
    dnd: toFlag(read('dnd')),
  };
  return Object.fromEntries(Object.entries(finding).filter(([, value]) => value !== undefined));
}

function readField(rule: FieldRule | undefined, response: unknown): unknown {
  if (!rule) return undefined;
  const value = valueAt(response, rule.pointer);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const key = String(value);
  return rule.values && Object.hasOwn(rule.values, key) ? rule.values[key] : value;
}

/** The value at a JSON pointer (RFC 6901), `undefined` if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const toFlag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

function toOperator(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim();
  const isUsable = name !== '' && name.length <= maxOperatorLength && !/\p{Cc}|\p{Cs}/u.test(name);
  return isUsable ? toNetworkName(name) : undefined;
}

function toCountry(value: unknown): string | undefined {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return /^[A-Z]{2}$/.test(code) ? code : undefined;
}
