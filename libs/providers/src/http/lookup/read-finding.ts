import { type LineType, lineTypes } from '@gangan/contracts';
import { parseJson, valueAt } from '../json-values.js';
import type { LookupFinding } from './lookup-finding.js';
import type { FieldRule, LookupSettings } from './lookup-settings.js';

/** The answer has nothing to read: it is not JSON, or it is some other document, such as an error. */
export type UnreadableAnswer = 'unreadable_answer' | 'no_field';

const maxOperatorLength = 64;

/** Reads an answer by the rules. Pure. A value that is not valid for its field is ignored. */
export function readFinding(
  rules: LookupSettings['finding'],
  text: string,
): LookupFinding | UnreadableAnswer {
  const document = parseJson(text);
  if (document === undefined) return 'unreadable_answer';
  const all = Object.values(rules).flat();
  if (all.every(({ pointer }) => valueAt(document, pointer) === undefined)) return 'no_field';
  const read = <T>(field: keyof LookupFinding, convert: (value: unknown) => T | undefined): T | undefined =>
    [rules[field] ?? []].flat().flatMap((rule) => convert(readField(rule, document)) ?? [])[0];
  const finding = {
    operator: read('operator', toOperator),
    country: read('country', toCountry),
    ported: read('ported', toFlag),
    dnd: read('dnd', toFlag),
    lineType: read('lineType', toLineType),
    roaming: read('roaming', toFlag),
  };
  return Object.fromEntries(Object.entries(finding).filter(([, value]) => value !== undefined));
}

function readField({ pointer, values = {} }: FieldRule, document: unknown): unknown {
  const value = valueAt(document, pointer);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const listed = [String(value), '*'].find((key) => Object.hasOwn(values, key));
  return listed === undefined ? value : values[listed];
}

const toFlag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const toLineType = (value: unknown): LineType | undefined => lineTypes.find((type) => type === value);

function toOperator(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim();
  const isUsable = name !== '' && name.length <= maxOperatorLength && !/\p{Cc}|\p{Cs}/u.test(name);
  return isUsable ? name : undefined;
}

function toCountry(value: unknown): string | undefined {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return /^[A-Z]{2}$/.test(code) ? code : undefined;
}
