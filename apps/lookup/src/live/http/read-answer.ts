import { asNetwork } from '../../numbering-plan.js';
import type { LiveField, LiveFinding } from '../live-provider.js';
import { ProviderFailure } from '../provider-failure.js';
import { valueAt } from './json-pointer.js';
import type { FieldRule, ProviderFile } from './provider-file.js';

const longestOperator = 64;

/**
 * What the answer says, by the rules of the file. A value that is none of its field's counts as not told.
 * @throws ProviderFailure when none of the fields is there: that is some other message, such as of an error
 */
export function readAnswer(rules: ProviderFile['answer'], answer: unknown): LiveFinding {
  if (Object.values(rules).every(({ pointer }) => valueAt(answer, pointer) === undefined)) {
    throw new ProviderFailure('its answer has none of the fields', true);
  }
  const said = (field: LiveField): unknown => meaningOf(rules[field], answer);
  const found = {
    operator: operatorOf(said('operator')),
    country: countryOf(said('country')),
    ported: flagOf(said('ported')),
    dnd: flagOf(said('dnd')),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function meaningOf(rule: FieldRule | undefined, answer: unknown): unknown {
  if (!rule) return undefined;
  const value = valueAt(answer, rule.pointer);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const key = String(value);
  return rule.values && Object.hasOwn(rule.values, key) ? rule.values[key] : value;
}

const flagOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

function operatorOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim();
  const usable = name !== '' && name.length <= longestOperator && !/\p{Cc}|\p{Cs}/u.test(name);
  return usable ? asNetwork(name) : undefined;
}

function countryOf(value: unknown): string | undefined {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return /^[A-Z]{2}$/.test(code) ? code : undefined;
}
