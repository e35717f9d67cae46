import type { ContactOperator } from '@gangan/contracts';
import { Prisma, type Sql, sql } from '@gangan/database';
import type { Filter, FilterNode } from './filter.js';

export const buildCondition = (node: FilterNode): Sql =>
  'join' in node ? joined(node.join, node.filters.map(buildCondition)) : buildFilter(node);

/**
 * The condition that the term index can answer, if there is one. It finds all rows that match and maybe more, so the
 * own condition of the filter or group is checked as well. Of a group that any filter matches, each must have one.
 */
export function buildPrefilter(node: FilterNode): Sql | undefined {
  if (!('join' in node)) return buildTermFilter(node);
  const conditions = node.filters.map(buildPrefilter).filter((condition) => condition !== undefined);
  const isUsable = node.join === 'all' ? conditions.length > 0 : conditions.length === node.filters.length;
  return isUsable ? joined(node.join, conditions) : undefined;
}

const joined = (join: 'any' | 'all', conditions: readonly Sql[]): Sql =>
  sql`(${Prisma.join([...conditions], join === 'any' ? ' OR ' : ' AND ')})`;

/**
 * The SQL condition of a filter on a row of `contact_row`. Text operators search a cell both as it was written and in its
 * compared form. No patterns are used, so no character is special. An empty cell equals no value.
 */
function buildFilter(filter: Filter): Sql {
  const { operator, values } = filter;
  const [first = '', second = ''] = values;
  switch (operator) {
    case 'contain':
      return eitherForm(filter, (form) => sql`strpos(${form}, ${folded(first)}) > 0`);
    case 'not_contain':
      return sql`NOT ${eitherForm(filter, (form) => sql`strpos(${form}, ${folded(first)}) > 0`)}`;
    case 'start_with':
      return eitherForm(filter, (form) => sql`starts_with(${form}, ${folded(first)})`);
    case 'end_with':
      return eitherForm(filter, (form) => sql`right(${form}, length(${folded(first)})) = ${folded(first)}`);
    case 'equal':
      return sql`coalesce(${equals(filter)}, false)`;
    case 'not_equal':
      return sql`NOT coalesce(${equals(filter)}, false)`;
    case 'in':
      return filter.type === 'MULTI SELECT'
        ? sql`coalesce(string_to_array(contact_fold(${compared(filter)}), ',') && ${foldedAll(values)}, false)`
        : sql`coalesce(contact_fold(${compared(filter)}) = ANY (${foldedAll(values)}), false)`;
    case 'is_empty':
      return sql`${written(filter)} IS NULL`;
    case 'is_not_empty':
      return sql`${written(filter)} IS NOT NULL`;
    case 'greater_than':
    case 'after':
      return sql`coalesce(${ordered(filter)} > ${orderedValue(filter, first)}, false)`;
    case 'less_than':
    case 'before':
      return sql`coalesce(${ordered(filter)} < ${orderedValue(filter, first)}, false)`;
    case 'between':
      return sql`coalesce(${ordered(filter)} BETWEEN ${orderedValue(filter, first)} AND ${orderedValue(filter, second)}, false)`;
  }
}

function buildTermFilter({ columnId, type, operator, values }: Filter): Sql | undefined {
  const [first = ''] = values;
  if (searched.has(operator) && hasTerms.test(first))
    return sql`contact_terms(cells, matched) @> contact_text_terms(${columnId}, ${first})`;
  if (operator === 'equal' || (operator === 'in' && type !== 'MULTI SELECT'))
    return sql`contact_terms(cells, matched) && ARRAY(
      SELECT contact_value_term(${columnId}, value) FROM unnest(${values}::text[]) AS value)`;
  return undefined;
}

const searched: ReadonlySet<ContactOperator> = new Set(['contain', 'start_with', 'end_with']);
/** Texts of fewer than three characters have no terms. */
const hasTerms = /^.{3}/su;

const written = ({ columnId }: Filter): Sql => sql`(cells ->> ${columnId}::text)`;

const compared = ({ columnId }: Filter): Sql =>
  sql`coalesce(matched ->> ${columnId}::text, cells ->> ${columnId}::text)`;

const folded = (value: string): Sql => sql`contact_fold(${value})`;

const foldedAll = (values: readonly string[]): Sql =>
  sql`ARRAY(SELECT contact_fold(value) FROM unnest(${values}::text[]) AS value)`;

const equals = (filter: Filter): Sql =>
  sql`contact_fold(${compared(filter)}) = ${folded(filter.values[0] ?? '')}`;

const eitherForm = (filter: Filter, holds: (form: Sql) => Sql): Sql =>
  sql`(coalesce(${holds(sql`contact_fold(cells ->> ${filter.columnId}::text)`)}, false)
    OR coalesce(${holds(sql`contact_fold(matched ->> ${filter.columnId}::text)`)}, false))`;

/** Cells of a NUMBER column were checked when they were written, so the cast cannot fail. */
const ordered = (filter: Filter): Sql =>
  filter.type === 'NUMBER'
    ? sql`(${compared(filter)})::numeric`
    : sql`(contact_fold(${compared(filter)}) COLLATE "C")`;

const orderedValue = ({ type }: Filter, value: string): Sql =>
  type === 'NUMBER' ? sql`${value}::numeric` : sql`(contact_fold(${value}) COLLATE "C")`;
