import {
  type ContactImport,
  type ContactImportProblem,
  type ContactImportState,
  formatTimestamp,
} from '@gangan/contracts';
import { sql } from '@gangan/database';

/** An import as it is kept. */
export interface ImportRow {
  readonly id: string;
  readonly state: ContactImportState;
  readonly columns: readonly string[];
  readonly upsertColumnId: string | null;
  readonly bytes: bigint;
  readonly taken: bigint;
  readonly lines: number;
  readonly created: number;
  readonly updated: number;
  readonly rejected: number;
  readonly problems: readonly ContactImportProblem[];
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export const importColumns = sql`
  id, state, columns, upsert_column_id AS "upsertColumnId", bytes, taken, lines, created, updated, rejected, problems,
  reason, created_at AS "createdAt", ended_at AS "endedAt"`;

export const importAnswer = (row: ImportRow): ContactImport => ({
  id: row.id,
  state: row.state,
  columns: [...row.columns],
  ...(row.upsertColumnId !== null && { upsert_column_id: row.upsertColumnId }),
  bytes: Number(row.bytes),
  percent: percentOf(row),
  lines: row.lines,
  created: row.created,
  updated: row.updated,
  rejected: row.rejected,
  problems: [...row.problems],
  ...(row.reason !== null && { reason: row.reason }),
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** What lies behind the first line alone is no progress. */
const percentOf = ({ state, lines, taken, bytes }: ImportRow): number =>
  lines === 0 && state !== 'done' ? 0 : Number((taken * 100n) / bytes);
