import { type ContactExport, type ContactExportState, formatTimestamp } from '@gangan/contracts';
import { sql } from '@gangan/database';

/** An export as it is kept. */
export interface ExportRow {
  readonly id: string;
  readonly state: ContactExportState;
  readonly rows: number;
  /** Nothing where that is not known. */
  readonly rowsTotal: number | null;
  readonly parts: number;
  readonly bytes: bigint;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export const exportColumns = sql`
  id, state, rows, rows_total AS "rowsTotal", parts, bytes, reason, created_at AS "createdAt", ended_at AS "endedAt"`;

export const exportAnswer = (row: ExportRow): ContactExport => ({
  id: row.id,
  state: row.state,
  rows: row.rows,
  ...percentOf(row),
  bytes: Number(row.bytes),
  ...(row.reason !== null && { reason: row.reason }),
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** Only what is done is whole. */
function percentOf({ state, rows, rowsTotal }: ExportRow): { percent?: number } {
  if (state === 'done') return { percent: 100 };
  if (rowsTotal === null) return {};
  return { percent: Math.min(99, Math.floor((rows * 100) / Math.max(rowsTotal, 1))) };
}
