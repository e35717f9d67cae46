import { ArrayMaxSize } from 'class-validator';
import { type ItemError, ItemErrors } from '../validation/item-faults.js';
import { NestedList } from '../validation/nested.js';
import { ContactFilter } from './contact-filter.dto.js';
import { contactOperators } from './filter-operators.js';
import { filterValues, operatorsWithoutValue } from './filter-values.js';

const mostFilters = 50;
const mostValues = 1_000;

/** Filters, with all that can be wrong with them whatever the columns are. */
export const FilterList = (): PropertyDecorator => (target, property) => {
  const rules = [ItemErrors(filterFaults), ArrayMaxSize(mostFilters), NestedList(ContactFilter)];
  for (const rule of rules) rule(target, property);
};

const filterFaults = (given: readonly unknown[]): ItemError[] =>
  given.flatMap((filter, place) =>
    filter instanceof ContactFilter ? [...columnFaults(filter, place), ...valueFaults(filter, place)] : [],
  );

const columnFaults = ({ column_id: id, name }: ContactFilter, place: number): ItemError[] =>
  id === undefined && name === undefined
    ? [fault(place, 'column_id', 'is required, unless there is a name', 'missing')]
    : [];

function valueFaults({ operator, value }: ContactFilter, place: number): ItemError[] {
  const isJudged = contactOperators.includes(operator) && ['undefined', 'string'].includes(typeof value);
  if (!isJudged || operatorsWithoutValue.includes(operator)) return [];
  const { length } = filterValues(operator, value);
  if (length === 0) return [fault(place, 'value', 'is required', 'missing')];
  if (operator === 'between' && length !== 2)
    return [fault(place, 'value', 'must be two values separated by a comma', 'value_error')];
  if (length > mostValues)
    return [fault(place, 'value', `must hold at most ${mostValues} values`, 'too_long')];
  return [];
}

const fault = (place: number, field: string, problem: string, type: string): ItemError => ({
  at: `${place}.${field}`,
  message: `filters.${place}.${field} ${problem}`,
  type,
});
