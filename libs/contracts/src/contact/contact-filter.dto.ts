import type { FieldError } from '@gangan/protocol';
import { ArrayMaxSize } from 'class-validator';
import { ApiSchema, exampleId } from '../schema/api-field.js';
import { OptionalTextField, RequiredTextField } from '../schema/fields.js';
import { combine, MaxLength, rule } from '../validation/fields/decorators.js';
import { NestedList } from '../validation/fields/nested.js';

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

/** Only documents the values: the contacts worker checks the operator together with the column, and reports both. */
const IsOperator = rule('isIn', () => true, 'must be an operator', [contactOperators]);

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
  @IsOperator()
  operator: ContactOperator;

  @OptionalTextField(
    'Value to compare with; not needed for `is_empty` and `is_not_empty`. `between` takes two values separated by a comma (both inclusive), `in` any number of values',
    'ada',
  )
  @MaxLength(maxFilterValueLength)
  value?: string;
}

/** A list of filters. What they say is checked with `findFilterErrors`, by the worker that knows the columns. */
export const FilterList = (): PropertyDecorator =>
  combine(NestedList(ContactFilter), ArrayMaxSize(maxFilters));

/** All errors of a filter that do not depend on the table's columns; `field` is one of the filter, and the message follows it. */
export const findFilterErrors = (filter: ContactFilter): FieldError[] => [
  ...columnErrors(filter),
  ...(contactOperators.includes(filter.operator) ? valueErrors(filter) : [unknownOperator]),
];

const columnErrors = ({ column_id: id, name }: ContactFilter): FieldError[] =>
  id === undefined && name === undefined
    ? [{ field: 'column_id', message: 'is required, unless there is a name', type: 'missing' }]
    : [];

const unknownOperator: FieldError = {
  field: 'operator',
  message: `must be one of the following values: ${contactOperators.join(', ')}`,
  type: 'enum',
};

function valueErrors({ operator, value }: ContactFilter): FieldError[] {
  if (operatorsWithoutValue.includes(operator)) return [];
  const { length } = filterValues(operator, value);
  const error = (message: string, type: string): FieldError[] => [{ field: 'value', message, type }];
  if (length === 0) return error('is required', 'missing');
  if (operator === 'between' && length !== 2)
    return error('must be two values separated by a comma', 'value_error');
  return length > maxValues ? error(`must hold at most ${maxValues} values`, 'too_long') : [];
}
