import { type AnyContactFilter, findFilterErrors, maxFilters } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { Column } from '../tables/table.js';
import { type FilterNode, resolveFilter } from './filter.js';

interface Resolved {
  readonly filters: FilterNode[];
  readonly errors: FieldError[];
}

/** Reports all errors. @param at the name of the list, for error messages */
export async function resolveFilters(
  given: readonly AnyContactFilter[],
  columns: readonly Column[],
  at: string,
): Promise<Resolved> {
  if (given.reduce((sum, filter) => sum + countFilters(filter), 0) > maxFilters) {
    const message = `${at} must hold at most ${maxFilters} filters, with those in groups`;
    return { filters: [], errors: [{ field: at, message, type: 'too_long' }] };
  }
  return resolveList(given, columns, at);
}

async function resolveList(
  given: readonly AnyContactFilter[],
  columns: readonly Column[],
  at: string,
): Promise<Resolved> {
  const resolved = await Promise.all(
    given.map((filter, index) => resolveNode(filter, columns, `${at}.${index}`)),
  );
  return {
    filters: resolved.flatMap(({ filters }) => filters),
    errors: resolved.flatMap(({ errors }) => errors),
  };
}

async function resolveNode(
  filter: AnyContactFilter,
  columns: readonly Column[],
  at: string,
): Promise<Resolved> {
  const reported = (errors: readonly FieldError[]): FieldError[] =>
    errors.map(({ field, message, type }) => ({
      field: `${at}.${field}`,
      message: `${at}.${field} ${message}`,
      type,
    }));
  const groups = groupsOf(filter);
  if (groups.length === 0) {
    const resolved = await resolveFilter(filter, columns);
    return Array.isArray(resolved)
      ? { filters: [], errors: reported(resolved) }
      : { filters: [resolved], errors: [] };
  }
  const lists = await Promise.all(
    groups.map(async ({ join, filters }) => ({
      join,
      ...(await resolveList(filters, columns, `${at}.${join}`)),
    })),
  );
  return {
    filters: lists.map(({ join, filters }) => ({ join, filters })),
    errors: [...reported(findFilterErrors(filter)), ...lists.flatMap(({ errors }) => errors)],
  };
}

/** A filter has none; a group has one, unless it is invalid. */
const groupsOf = (filter: AnyContactFilter) =>
  (['any', 'all'] as const).flatMap((join) => {
    const filters = filter[join];
    return filters ? [{ join, filters }] : [];
  });

const countFilters = (filter: AnyContactFilter): number => {
  const groups = groupsOf(filter);
  return groups.length === 0
    ? 1
    : groups.flatMap(({ filters }) => filters).reduce((sum, inner) => sum + countFilters(inner), 0);
};

/** The same filters with the ids of their columns instead of names, which may change. They must have no errors. */
export const withColumnIds = (
  given: readonly AnyContactFilter[],
  resolved: readonly FilterNode[],
): AnyContactFilter[] =>
  resolved.map((node, index) => {
    const filter = given[index] ?? {};
    if ('join' in node) return { [node.join]: withColumnIds(filter[node.join] ?? [], node.filters) };
    const { columnId, operator } = node;
    return { column_id: columnId, operator, ...(filter.value !== undefined && { value: filter.value }) };
  });

/** The columns that stored filters refer to. */
export const columnIdsOf = (filters: readonly AnyContactFilter[]): string[] => [
  ...new Set(
    filters.flatMap((filter) => [
      ...(filter.column_id === undefined ? [] : [filter.column_id]),
      ...groupsOf(filter).flatMap((group) => columnIdsOf(group.filters)),
    ]),
  ),
];
