import { command, type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { mergeCells, type RowChange } from './row.js';
import { type NewRow, RowsRepository } from './rows.repository.js';

/** Changes the row that has the same value in a column, or is added if there is none. */
export interface UpsertRow extends NewRow, RowChange {}

export interface UpsertResult {
  readonly created: number;
  readonly updated: number;
}

interface MatchedRow {
  readonly row: UpsertRow;
  /** The existing row that it changes. */
  readonly id: string;
}

@Injectable()
export class UpsertsRepository {
  constructor(private readonly rows: RowsRepository) {}

  /**
   * Upserts rows of one table. Concurrent upserts by the same column wait for this transaction, so that no row is added
   * twice. A row with an empty cell in the column is always added. If several rows match, the oldest is changed.
   */
  async upsert(transaction: SqlRunner, columnId: string, rows: readonly UpsertRow[]): Promise<UpsertResult> {
    const [first] = rows;
    if (!first) return { created: 0, updated: 0 };
    await transaction.run(lockColumn, first.tableId, columnId);
    const matches = await transaction.run(findMatches, first.tableId, columnId, rows);
    const [added, changed] = partition(rows, matches);
    const created = added.length > 0 ? await this.rows.insert(transaction, added) : 0;
    const deleted = await this.change(transaction, changed);
    const again = await this.upsert(transaction, columnId, deleted);
    return {
      created: created + again.created,
      updated: rows.length - added.length - deleted.length + again.updated,
    };
  }

  /** Returns the rows whose match was deleted since it was found. */
  private async change(transaction: SqlRunner, changed: readonly MatchedRow[]): Promise<UpsertRow[]> {
    if (changed.length === 0) return [];
    const changes = changed.map(({ row, id }) => ({ ...row, id }));
    const results = await this.rows.patchAll(transaction, changes);
    return changed.filter((_, index) => results[index] === undefined).map(({ row }) => row);
  }
}

const lockColumn = command(
  (tableId: string, columnId: string) => sql`
  SELECT pg_advisory_xact_lock(hashtextextended(${`contacts ${tableId} ${columnId}`}, 0))::text`,
);

/**
 * For each row its position from 1, its value in folded case as the key, and the oldest row with an equal value.
 * `IS NOT DISTINCT FROM` keeps the planner from choosing the primary key over the term index, which is scanned once.
 */
const findMatches = statement(
  { position: t.int, key: t.text, id: t.nullable(t.uuid) },
  (tableId: string, columnId: string, rows: readonly UpsertRow[]) => sql`
  WITH given AS MATERIALIZED (
    SELECT position::int, contact_fold(value) AS key, contact_value_term(${columnId}, value) AS term
    FROM unnest(${rows.map(({ written, matched }) => matched[columnId] ?? written[columnId] ?? null)}::text[])
      WITH ORDINALITY AS each (value, position) WHERE value IS NOT NULL),
  known AS MATERIALIZED (
    SELECT id, contact_fold(coalesce(matched ->> ${columnId}::text, cells ->> ${columnId}::text)) AS key FROM contact_row
    WHERE contact_terms(cells, matched) && (SELECT coalesce(array_agg(term), '{}') FROM given)
      AND table_id IS NOT DISTINCT FROM ${tableId}::uuid)
  SELECT DISTINCT ON (given.position) given.position, given.key, known.id FROM given LEFT JOIN known USING (key)
  ORDER BY given.position, known.id`,
);

type Match = RowOf<typeof findMatches>;

/** Splits rows into those to add and those that change an existing row. Rows to add with the same key are merged. */
function partition(
  rows: readonly UpsertRow[],
  matches: readonly Match[],
): [added: NewRow[], changed: MatchedRow[]] {
  const matchByPosition = new Map(matches.map((match) => [match.position, match]));
  const byKey = new Map<string, UpsertRow>();
  const withoutKey: UpsertRow[] = [];
  const changed: MatchedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const match = matchByPosition.get(index + 1);
    if (!match) withoutKey.push(row);
    else if (match.id !== null) changed.push({ row, id: match.id });
    else {
      const earlier = byKey.get(match.key);
      byKey.set(match.key, earlier ? { ...earlier, ...mergeCells(earlier, row) } : row);
    }
  }
  return [[...byKey.values(), ...withoutKey], changed];
}
