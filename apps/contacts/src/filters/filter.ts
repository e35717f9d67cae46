import {
  type ContactColumnType,
  type AnyContactFilter,
  type ContactOperator,
  filterValues,
  findFilterErrors,
} from '@gangan/contracts';
import { type FieldError, mapInSlices } from '@gangan/protocol';
import { comparedForm } from '../cells/compared-form.js';
import { type Column, findColumnByName } from '../tables/table.js';

/** A filter, or a group of which any or all must match. */
export type FilterNode = Filter | FilterGroup;

export interface FilterGroup {
  readonly join: 'any' | 'all';
  readonly filters: readonly FilterNode[];
}

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

/** Returns the filter, or its errors: `field` is one of the filter, and the message follows it. */
export async function resolveFilter(
  filter: AnyContactFilter,
  columns: readonly Column[],
): Promise<Filter | FieldError[]> {
  const errors = findFilterErrors(filter);
  const column = findColumn(filter, columns);
  if (!column) return [...(isNamed(filter) ? [unknownColumn(filter)] : []), ...errors];
  const { operator, value } = filter;
  if (errors.length > 0 || operator === undefined) return errors;
  const { id: columnId, type, region } = column;
  const texts = filterValues(operator, value);
  if (textOperators.includes(operator)) return { columnId, type, operator, values: texts };
  const values = await mapInSlices(
    texts,
    (text) => comparedForm(type, text.trim(), region) ?? (requiresForm(operator, type) ? undefined : text),
  );
  return values.every((text) => text !== undefined)
    ? { columnId, type, operator, values }
    : [{ field: 'value', message: 'is invalid', type: 'value_error', ...orderFaults[type] }];
}

/** Order operators need a comparable value. For the others, a value that is not of the type just matches no cell. */
export const requiresForm = (operator: ContactOperator, type: ContactColumnType): boolean =>
  orderOperators.includes(operator) && orderFaults[type] !== undefined;

const isNamed = ({ column_id: id, name }: AnyContactFilter): boolean =>
  id !== undefined || name !== undefined;

const findColumn = (
  { column_id: id, name = '' }: AnyContactFilter,
  columns: readonly Column[],
): Column | undefined =>
  id === undefined
    ? findColumnByName(columns, name)
    : columns.find((column) => column.id === id.toLowerCase());

const unknownColumn = ({ column_id: id }: AnyContactFilter): FieldError => ({
  field: id === undefined ? 'name' : 'column_id',
  message: 'does not match a column of this table',
  type: 'value_error',
});
