import { type CellKey, type ContactRow, formatTimestamp } from '@gangan/contracts';
import { type Channel, columnsOf, type RowOf, t } from '@gangan/database';
import type { Cells } from '../cells/check-cell.js';
import type { Column } from '../tables/table.js';

/** The channels on which a number of a row has opted out, by row id. Rows without an opt-out are left out. */
export type OptOuts = ReadonlyMap<string, readonly Channel[]>;

export const rowShape = {
  id: t.uuid,
  cells: t.json<Readonly<Record<string, string>>>(),
  createdAt: t.timestamp,
  updatedAt: t.timestamp,
};

export const rowColumns = columnsOf(rowShape);

export type Row = RowOf<{ shape: typeof rowShape }>;

export interface RowKey {
  readonly tableId: string;
  readonly id: string;
}

/** Cells to write into an existing row. */
export interface RowChange extends Cells, RowKey {}

/** Leaves out cells of removed columns, which are cleared in the background. */
export function formatRow(
  row: Row,
  columns: readonly Column[],
  optOuts: OptOuts,
  by: CellKey = 'id',
): ContactRow {
  const cells = columns.flatMap((column) => {
    const cell = row.cells[column.id];
    return cell === undefined ? [] : [[column[by], cell] as const];
  });
  const optedOut = optOuts.get(row.id);
  return {
    id: row.id,
    columns: Object.fromEntries(cells),
    ...(optedOut && { opted_out: [...optedOut] }),
    created_datetime: formatTimestamp(row.createdAt),
    updated_datetime: formatTimestamp(row.updatedAt),
  };
}

export const joinKey = ({ tableId, id }: RowKey): string => tableId + id;

/** Statements that lock several rows lock them in this order, so that they cannot deadlock. */
export const inLockOrder = <T extends RowKey>(keys: readonly T[]): T[] =>
  keys.toSorted((one, other) => (joinKey(one) < joinKey(other) ? -1 : 1));

/** One change per row, because a statement can update a row only once. The later change of a cell wins. */
export function mergeChanges(changes: readonly RowChange[]): RowChange[] {
  const byRow = new Map<string, RowChange>();
  for (const change of changes) {
    const key = joinKey(change);
    const before = byRow.get(key);
    byRow.set(key, before ? { ...change, ...mergeCells(before, change) } : change);
  }
  return inLockOrder([...byRow.values()]);
}

/** Where both change the same cell, `second` wins. */
export function mergeCells(first: Cells, second: Cells): Cells {
  const touched = new Set([...Object.keys(second.written), ...second.cleared]);
  const untouched = (cells: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(cells).filter(([id]) => !touched.has(id)));
  return {
    written: { ...untouched(first.written), ...second.written },
    matched: { ...untouched(first.matched), ...second.matched },
    cleared: [...first.cleared.filter((id) => !touched.has(id)), ...second.cleared],
  };
}
