import {
  type ContactColumnType,
  type ContactFilter,
  type ContactOperator,
  filterValues,
  findFilterErrors,
} from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import { comparedForm } from '../cells/compared-form.js';
import { type Column, findColumnByName } from '../tables/table.js';

/** A filter whose column exists and whose values are in the form that cells are compared in. */
export interface Filter {
  readonly columnId: string;
  readonly type: ContactColumnType;
  readonly operator: ContactOperator;
  /** Empty for operators without a value, two for `between`, any number for `in`, otherwise one. */
  readonly values: readonly string[];
}

const textOperators: readonly ContactOperator[] = ['contain', 'not_contain', 'start_with', 'end_with'];
const orderOperators: readonly ContactOperator[] = [
  'greater_than',
  'less_than',
  'between',
  'before',
  'after',
];

const orderFaults: Partial<Record<ContactColumnType, Pick<FieldError, 'message' | 'type'>>> = {
  NUMBER: { message: 'must be a number, because the column holds numbers', type: 'value_error' },
  DATE: { message: 'must be a date or a time, because the column holds dates', type: 'date' },
};

/** Reports all errors. @param at the name of the list, for error messages */
export function resolveFilters(
  given: readonly ContactFilter[],
  columns: readonly Column[],
  at: string,
): { readonly filters: Filter[]; readonly errors: FieldError[] } {
  const errors: FieldError[] = [];
  const filters = given.flatMap((filter, index) => {
    const resolved = resolve(filter, columns);
    if (!Array.isArray(resolved)) return [resolved];
    for (const { field: part, message, type } of resolved) {
      const field = `${at}.${index}.${part}`;
      errors.push({ field, message: `${field} ${message}`, type });
    }
    return [];
  });
  return { filters, errors };
}

function resolve(filter: ContactFilter, columns: readonly Column[]): Filter | FieldError[] {
  const errors = findFilterErrors(filter);
  const column = findColumn(filter, columns);
  if (!column) return [...(isNamed(filter) ? [unknownColumn(filter)] : []), ...errors];
  if (errors.length > 0) return errors;
  const { operator, value } = filter;
  const { id: columnId, type, region } = column;
  const texts = filterValues(operator, value);
  if (textOperators.includes(operator)) return { columnId, type, operator, values: texts };
  const values = texts.map(
    (text) => comparedForm(type, text.trim(), region) ?? (requiresForm(operator, type) ? undefined : text),
  );
  return values.every((text) => text !== undefined)
    ? { columnId, type, operator, values }
    : [{ field: 'value', message: 'is invalid', type: 'value_error', ...orderFaults[type] }];
}

/** Order operators need a comparable value. For the others, a value that is not of the type just matches no cell. */
const requiresForm = (operator: ContactOperator, type: ContactColumnType): boolean =>
  orderOperators.includes(operator) && orderFaults[type] !== undefined;

const isNamed = ({ column_id: id, name }: ContactFilter): boolean => id !== undefined || name !== undefined;

const findColumn = (
  { column_id: id, name = '' }: ContactFilter,
  columns: readonly Column[],
): Column | undefined =>
  id === undefined
    ? findColumnByName(columns, name)
    : columns.find((column) => column.id === id.toLowerCase());

const unknownColumn = ({ column_id: id }: ContactFilter): FieldError => ({
  field: id === undefined ? 'name' : 'column_id',
  message: 'does not match a column of this table',
  type: 'value_error',
});
