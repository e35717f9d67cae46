import { expect, it } from '@jest/globals';
import { allContracts } from '../registry.js';
import { fieldsOf, isCondition, rulesByField } from './rules.js';
import { validate } from './validate.js';

const deep = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`) as unknown;
const values: readonly (readonly [what: string, value: unknown])[] = [
  ['U+0000', '\0'],
  ['half of a surrogate pair', '\ud800'],
  ['half of a pair in an address', 'https://example.com/\ud800'],
  ['half of a pair in a placeholder', '{{\ud800}}'],
  ['names that are traps', JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1}}')],
  ['an object that cannot be made text', { toString: 1, valueOf: 2 }],
  ['an object that passes for a list', { length: 1e9 }],
  ['lists beyond all depth', deep],
  ['objects with them', [{ to: deep, substitutions: deep, column_id: deep, operator: deep, value: deep }]],
];
const dtos = allContracts.flatMap((contract) => (contract.kind === 'request' ? [contract.request] : []));

it.each(values)('never throws for %s in any field of any request', (_, value) => {
  for (const dto of dtos)
    for (const field of fieldsOf(dto)) expect(() => validate(dto, { [field]: value })).not.toThrow();
});

it.each(['absent', null])('rejects every required field of every request that is %s', (value) => {
  for (const dto of dtos) {
    const given = Object.fromEntries(fieldsOf(dto).map((field) => [field, value]));
    const result = validate(dto, value === 'absent' ? {} : given);
    const rejected = new Set(result.ok ? [] : result.errors.map(({ field }) => field));
    const required = [...rulesByField(dto)].filter(([, rules]) => !rules.some(isCondition));
    const accepted = required.map(([field]) => field).filter((field) => !rejected.has(field));
    expect([dto.name, accepted]).toEqual([dto.name, []]);
  }
});
