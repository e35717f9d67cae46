import type { Cells } from '../cells/check-cells.js';

/** Cells to write into a row that is there. */
export interface Change extends Cells, RowPlace {}

/** One change per row: a statement changes each row once, and the later of two writers of a cell wins. */
export function mergeChanges(changes: readonly Change[]): Change[] {
  const byRow = new Map<string, Change>();
  for (const change of changes) {
    const key = keyOf(change);
    const before = byRow.get(key);
    byRow.set(key, before ? { ...change, ...mergeCells(before, change) } : change);
  }
  return inLockOrder([...byRow.values()]);
}

export interface RowPlace {
  readonly tableId: string;
  readonly id: string;
}

export const keyOf = ({ tableId, id }: RowPlace): string => tableId + id;

/** Whoever locks several rows does so in this order. */
export const inLockOrder = <T extends RowPlace>(places: readonly T[]): T[] =>
  places.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

/** What both want, and where they differ what the second wants. */
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
