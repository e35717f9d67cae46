import { ArrayMaxSize, IsIn } from 'class-validator';
import { ApiSchema, exampleId } from '../schema/api-field.js';
import { OptionalTextField, RequiredTextField } from '../schema/fields.js';
import { combine, MaxLength } from '../validation/fields/decorators.js';
import { type ItemError, ItemErrors, NestedList } from '../validation/fields/nested.js';

export const contactOperators = [
  ...['contain', 'not_contain', 'equal', 'not_equal', 'start_with', 'end_with', 'is_empty', 'is_not_empty'],
  ...['greater_than', 'less_than', 'between', 'before', 'after', 'in'],
] as const;

export type ContactOperator = (typeof contactOperators)[number];

const operatorsWithoutValue: readonly ContactOperator[] = ['is_empty', 'is_not_empty'];
const operatorsWithValueList: readonly ContactOperator[] = ['between', 'in'];

const maxFilters = 50;
const maxValues = 1_000;
const maxFilterValueLength = 5_000;

/** The values of a filter: none for `is_empty`, two for `between`, any number for `in`, otherwise one. */
export function filterValues(operator: ContactOperator, value = ''): string[] {
  if (operatorsWithoutValue.includes(operator)) return [];
  const texts = operatorsWithValueList.includes(operator)
    ? value.split(',').map((text) => text.trim())
    : [value];
  return texts.filter((text) => text.trim() !== '');
}

@ApiSchema({
  rules: {
    anyOf: [{ required: ['column_id'] }, { required: ['name'] }],
    if: { properties: { operator: { enum: operatorsWithoutValue } } },
    else: { required: ['value'] },
  },
})
export class ContactFilter {
  @OptionalTextField('Id of the column', exampleId)
  column_id?: string;

  @OptionalTextField('Name of the column, if `column_id` is absent', 'Name')
  name?: string;

  @RequiredTextField(
    'Comparison. NUMBER columns compare as numbers, DATE columns as times, all others as text without regard to case; `before` and `after` are `less_than` and `greater_than`. `%`, `_` and `\\` have no special meaning',
    'contain',
  )
  @IsIn(contactOperators)
  operator: ContactOperator;

  @OptionalTextField(
    'Value to compare with; not needed for `is_empty` and `is_not_empty`. `between` takes two values separated by a comma (both inclusive), `in` any number of values',
    'ada',
  )
  @MaxLength(maxFilterValueLength)
  value?: string;
}

/** A list of filters with all checks that do not depend on the table's columns. */
export const FilterList = (): PropertyDecorator =>
  combine(NestedList(ContactFilter), ArrayMaxSize(maxFilters), ItemErrors(findFilterErrors));

const findFilterErrors = (given: readonly unknown[]): ItemError[] =>
  given.flatMap((filter, index) =>
    filter instanceof ContactFilter ? [...columnErrors(filter, index), ...valueErrors(filter, index)] : [],
  );

const columnErrors = ({ column_id: id, name }: ContactFilter, index: number): ItemError[] =>
  id === undefined && name === undefined
    ? [filterError(index, 'column_id', 'is required, unless there is a name', 'missing')]
    : [];

function valueErrors({ operator, value }: ContactFilter, index: number): ItemError[] {
  const isChecked = contactOperators.includes(operator) && ['undefined', 'string'].includes(typeof value);
  if (!isChecked || operatorsWithoutValue.includes(operator)) return [];
  const { length } = filterValues(operator, value);
  if (length === 0) return [filterError(index, 'value', 'is required', 'missing')];
  if (operator === 'between' && length !== 2)
    return [filterError(index, 'value', 'must be two values separated by a comma', 'value_error')];
  if (length > maxValues)
    return [filterError(index, 'value', `must hold at most ${maxValues} values`, 'too_long')];
  return [];
}

const filterError = (index: number, field: string, problem: string, type: string): ItemError => ({
  at: `${index}.${field}`,
  message: `filters.${index}.${field} ${problem}`,
  type,
});
