import type { Dto, ErrorType, FieldError } from '@gangan/protocol';
import { ArrayMaxSize, ArrayMinSize, IsOptional } from 'class-validator';
import { ApiField, ApiSchema, exampleId } from '../schema/api-field.js';
import { OptionalTextField } from '../schema/fields.js';
import { combine, MaxLength, rule } from '../validation/fields/decorators.js';
import { absent, type JsonSchema } from '../validation/json-schema.js';
import { NestedList } from '../validation/fields/nested.js';

export const contactOperators = [
  ...['contain', 'not_contain', 'equal', 'not_equal', 'start_with', 'end_with', 'is_empty', 'is_not_empty'],
  ...['greater_than', 'less_than', 'between', 'before', 'after', 'in'],
] as const;

export type ContactOperator = (typeof contactOperators)[number];

const operatorsWithoutValue: readonly ContactOperator[] = ['is_empty', 'is_not_empty'];
const operatorsWithValueList: readonly ContactOperator[] = ['between', 'in'];

/** The filters of one list, with those in its groups. */
export const maxFilters = 50;
/** The values of all filters of one list. They are limited, because each one of a phone column is read as a number. */
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

/** This rule only documents the values: the contacts worker checks the operator together with the column. */
const IsOperator = rule('isIn', () => true, 'must be an operator', { args: [contactOperators] });

/** A filter, or a group of filters, at any level. */
export interface AnyContactFilter {
  readonly column_id?: string;
  readonly name?: string;
  readonly operator?: ContactOperator;
  readonly value?: string;
  readonly any?: readonly AnyContactFilter[];
  readonly all?: readonly AnyContactFilter[];
}

class FilterFields {
  @OptionalTextField('Id of the column', exampleId)
  column_id?: string;

  @OptionalTextField('Name of the column, if `column_id` is absent', 'Name')
  name?: string;

  @OptionalTextField(
    'Comparison; required unless it is a group. NUMBER columns compare as numbers, DATE columns as times, all others as text without regard to case; `before` and `after` are `less_than` and `greater_than`. `%`, `_` and `\\` have no special meaning',
    'contain',
  )
  @IsOperator()
  operator?: ContactOperator;

  @OptionalTextField(
    'Value to compare with; not needed for `is_empty` and `is_not_empty`. `between` takes two values separated by a comma (both inclusive), `in` any number, but all filters of a request together at most 1,000',
    'ada',
  )
  @MaxLength(maxFilterValueLength)
  value?: string;
}

const filterRules: readonly JsonSchema[] = ['column_id', 'name'].flatMap((column) => [
  { required: [column, 'operator', 'value'] },
  { required: [column, 'operator'], properties: { operator: { enum: operatorsWithoutValue } } },
]);

const filterFields = ['column_id', 'name', 'operator', 'value'] as const;
const noFilterFields = Object.fromEntries(filterFields.map((field) => [field, absent]));

/** Either the fields of a filter, or one of the two lists. */
const groupRules: JsonSchema = {
  anyOf: [
    { required: ['any'], properties: { all: absent, ...noFilterFields } },
    { required: ['all'], properties: { any: absent, ...noFilterFields } },
    ...filterRules.map((rules) => ({
      ...rules,
      properties: { ...rules.properties, any: absent, all: absent },
    })),
  ],
};

const TooDeep = rule(
  'isAbsent',
  () => false,
  'is too deep: a group may hold groups, but not those further groups',
  { schema: absent },
);

const Forbidden = (): PropertyDecorator =>
  combine(IsOptional(), TooDeep(), ApiField('Not possible here: groups have at most two levels'));

@ApiSchema({ rules: { required: ['operator'], anyOf: filterRules } })
export class ContactInnermostFilter extends FilterFields {
  @Forbidden()
  any?: never;

  @Forbidden()
  all?: never;
}

const Group = (type: Dto<object>, text: string, example: object): PropertyDecorator =>
  combine(
    IsOptional(),
    NestedList(type),
    ArrayMinSize(1),
    ArrayMaxSize(maxFilters),
    ApiField(`${text} Excludes the other fields`, [example]),
  );

const example = { name: 'Name', operator: 'start_with', value: 'Ada' };

@ApiSchema({ rules: groupRules })
export class ContactGroupedFilter extends FilterFields {
  @Group(ContactInnermostFilter, 'A group: one of these filters must match.', example)
  any?: ContactInnermostFilter[];

  @Group(ContactInnermostFilter, 'A group: all of these filters must match.', example)
  all?: ContactInnermostFilter[];
}

@ApiSchema({ rules: groupRules })
export class ContactFilter extends FilterFields {
  @Group(ContactGroupedFilter, 'A group: one of these filters and groups must match.', example)
  any?: ContactGroupedFilter[];

  @Group(ContactGroupedFilter, 'A group: all of these filters and groups must match.', example)
  all?: ContactGroupedFilter[];
}

/** Counts the values of filters, with those in groups. They may be any JSON. */
function countValues(filters: unknown): number {
  if (!Array.isArray(filters)) return 0;
  return filters.reduce((sum: number, filter: unknown) => {
    const { operator, value, any, all } = (filter ?? {}) as Partial<Record<keyof AnyContactFilter, unknown>>;
    const own = typeof value === 'string' ? filterValues(operator as ContactOperator, value).length : 0;
    return sum + own + countValues(any) + countValues(all);
  }, 0);
}

/** Counts the values of a request before it is validated. One with more than the maximum is not read. */
export const countFilterValues = ({ filters }: { readonly filters?: unknown }): number =>
  Math.min(countValues(filters), maxValues);

const HasFewValues = rule(
  'hasFewValues',
  (filters) => countValues(filters) <= maxValues,
  `must hold at most ${maxValues} values, with those in groups`,
  { error: 'too_long' },
);

/** Validates a list of filters. The worker that knows the columns checks what they say, with `findFilterErrors`. */
export const FilterList = (): PropertyDecorator =>
  combine(NestedList(ContactFilter), ArrayMaxSize(maxFilters), HasFewValues());

/**
 * All errors of a filter, or of a group without its filters, that do not depend on the table's columns. `field` is one of
 * the filter, and the message follows it.
 */
export function findFilterErrors(filter: AnyContactFilter): FieldError[] {
  const groups = (['any', 'all'] as const).filter((join) => filter[join] !== undefined);
  const [group, second] = groups;
  if (group !== undefined) {
    const isMixed = filterFields.some((field) => filter[field] !== undefined);
    return [
      ...(second === undefined ? [] : [groupError(second, 'cannot be combined with any')]),
      ...(isMixed ? [groupError(group, 'cannot be combined with a column, an operator or a value')] : []),
    ];
  }
  const { operator } = filter;
  if (operator === undefined) return [...columnErrors(filter), missingOperator];
  const isKnown = contactOperators.includes(operator);
  return [...columnErrors(filter), ...(isKnown ? valueErrors(operator, filter.value) : [unknownOperator])];
}

const groupError = (field: string, message: string): FieldError => ({ field, message, type: 'value_error' });

const missingOperator: FieldError = { field: 'operator', message: 'is required', type: 'missing' };

const columnErrors = ({ column_id: id, name }: AnyContactFilter): FieldError[] =>
  id === undefined && name === undefined
    ? [{ field: 'column_id', message: 'is required, unless there is a name', type: 'missing' }]
    : [];

const unknownOperator: FieldError = {
  field: 'operator',
  message: `must be one of the following values: ${contactOperators.join(', ')}`,
  type: 'enum',
};

function valueErrors(operator: ContactOperator, value?: string): FieldError[] {
  if (operatorsWithoutValue.includes(operator)) return [];
  const { length } = filterValues(operator, value);
  const error = (message: string, type: ErrorType): FieldError[] => [{ field: 'value', message, type }];
  if (length === 0) return error('is required', 'missing');
  if (operator === 'between' && length !== 2)
    return error('must be two values separated by a comma', 'value_error');
  return [];
}
