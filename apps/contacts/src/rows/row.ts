import { type ContactRow, formatTimestamp } from '@gangan/contracts';
import { sql } from '@gangan/database';
import type { Column } from '../tables/column.js';

/** A row as it is kept. */
export interface Row {
  readonly id: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const rowColumns = sql`id, cells, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Cells of columns that are no longer there are not shown, though they may still wait to be taken out. */
export function rowAnswer(row: Row, columns: readonly Column[]): ContactRow {
  const cells = columns.flatMap(({ id }) => {
    const cell = row.cells[id];
    return cell === undefined ? [] : [[id, cell] as const];
  });
  return {
    id: row.id,
    columns: Object.fromEntries(cells),
    created_datetime: formatTimestamp(row.createdAt),
    updated_datetime: formatTimestamp(row.updatedAt),
  };
}
