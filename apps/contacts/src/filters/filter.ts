import {
  type ContactColumnType,
  type ContactFilter,
  type ContactOperator,
  filterValues,
} from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import { comparedForm } from '../cells/compared-form.js';
import type { Column } from '../tables/column.js';

/** A filter that is ready to be asked: its column is known, and its values are in the form that cells are compared in. */
export interface Filter {
  readonly columnId: string;
  readonly type: ContactColumnType;
  readonly operator: ContactOperator;
  /** None for those that need none, two for `between`, any number for `in`, else one. */
  readonly values: readonly string[];
}

const inText: ReadonlySet<ContactOperator> = new Set(['contain', 'not_contain', 'start_with', 'end_with']);
const inOrder: ReadonlySet<ContactOperator> = new Set([
  'greater_than',
  'less_than',
  'between',
  'before',
  'after',
]);

const orderFaults: Partial<Record<ContactColumnType, Pick<FieldError, 'message' | 'type'>>> = {
  NUMBER: { message: 'must be a number, as the column holds numbers', type: 'value_error' },
  DATE: { message: 'must be a day or a time, as the column holds them', type: 'date' },
};

/** Either filters, or what is wrong with them. @param at the name of the list, for what is wrong with it */
export function resolveFilters(
  given: readonly ContactFilter[],
  columns: readonly Column[],
  at: string,
): { readonly filters: Filter[]; readonly errors: FieldError[] } {
  const errors: FieldError[] = [];
  const filters = given.flatMap((filter, index) => {
    const resolved = resolve(filter, columns);
    if (!isFault(resolved)) return [resolved];
    const field = `${at}.${index}.${resolved.field}`;
    errors.push({ field, message: `${field} ${resolved.message}`, type: resolved.type });
    return [];
  });
  return { filters, errors };
}

const isFault = (resolved: Filter | FieldError): resolved is FieldError => 'field' in resolved;

function resolve(filter: ContactFilter, columns: readonly Column[]): Filter | FieldError {
  const column = columnOf(filter, columns);
  if ('field' in column) return column;
  const { operator, value } = filter;
  const { id: columnId, type } = column;
  const texts = filterValues(operator, value);
  if (inText.has(operator)) return { columnId, type, operator, values: texts };
  const values = texts.map(
    (text) => comparedForm(type, text.trim()) ?? (strict(operator, type) ? undefined : text),
  );
  return values.every((text) => text !== undefined)
    ? { columnId, type, operator, values }
    : { field: 'value', message: 'is invalid', type: 'value_error', ...orderFaults[type] };
}

/** What is no number is greater than none. What is no number equals none either, but that is an answer. */
const strict = (operator: ContactOperator, type: ContactColumnType): boolean =>
  inOrder.has(operator) && orderFaults[type] !== undefined;

function columnOf(
  { column_id: id, name = '' }: ContactFilter,
  columns: readonly Column[],
): Column | FieldError {
  if (id !== undefined) {
    const found = columns.find((column) => column.id === id.toLowerCase());
    return found ?? { field: 'column_id', message: 'is no column of the table', type: 'value_error' };
  }
  const found = columns.find((column) => column.name.toLowerCase() === name.trim().toLowerCase());
  return found ?? { field: 'name', message: 'is the name of no column of the table', type: 'value_error' };
}

/** What a smartlist keeps: the column by its id alone, as its name may change. */
export const keptFilter = (given: ContactFilter, { columnId }: Filter): ContactFilter => ({
  column_id: columnId,
  operator: given.operator,
  ...(given.value !== undefined && { value: given.value }),
});
