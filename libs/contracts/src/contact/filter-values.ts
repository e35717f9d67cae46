import type { ContactOperator } from './filter-operators.js';

export const operatorsWithoutValue: readonly ContactOperator[] = ['is_empty', 'is_not_empty'];
const operatorsOfSeveral: readonly ContactOperator[] = ['between', 'in'];

/** What a filter compares with: nothing for those that need none, two for `between`, any number for `in`, else one. */
export function filterValues(operator: ContactOperator, value = ''): string[] {
  if (operatorsWithoutValue.includes(operator)) return [];
  const texts = operatorsOfSeveral.includes(operator) ? value.split(',').map((text) => text.trim()) : [value];
  return texts.filter((text) => text.trim() !== '');
}
