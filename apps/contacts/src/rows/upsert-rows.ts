import { sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Runner } from '../runner.js';
import { type Change, mergeCells } from './merge-changes.js';
import { type NewRow, RowsRepository } from './rows.repository.js';

/** A row that is added, unless one agrees with it in a column: then that one is changed. */
export interface UpsertRow extends NewRow, Change {}

export interface Upserted {
  readonly created: number;
  readonly updated: number;
}

interface Match {
  readonly place: number;
  /** The value without its case: what agrees has the same. */
  readonly key: string;
  readonly id: string | null;
}

interface Matched {
  readonly row: UpsertRow;
  /** Of the row that it changes. */
  readonly id: string;
}

@Injectable()
export class UpsertRows {
  constructor(private readonly rows: RowsRepository) {}

  /**
   * Of one table, in one transaction: whoever else does the same waits, so that no two add the same. Rows whose cell in
   * the column is empty agree with none. Of several rows that are there and agree, the oldest is changed.
   */
  async upsert(transaction: Runner, columnId: string, rows: readonly UpsertRow[]): Promise<Upserted> {
    const [first] = rows;
    if (!first) return { created: 0, updated: 0 };
    await transaction.query(sql`
      SELECT pg_advisory_xact_lock(hashtextextended(${`contacts ${first.tableId} ${columnId}`}, 0))::text`);
    const matches = await this.matches(transaction, first.tableId, columnId, rows);
    const [fresh, changed] = sortOut(rows, matches);
    const created = fresh.length > 0 ? await this.rows.insert(transaction, fresh) : 0;
    const gone = await this.change(transaction, changed);
    const again = await this.upsert(transaction, columnId, gone);
    return {
      created: created + again.created,
      updated: rows.length - fresh.length - gone.length + again.updated,
    };
  }

  /** Gives those whose row somebody has deleted since it was found. */
  private async change(transaction: Runner, changed: readonly Matched[]): Promise<UpsertRow[]> {
    if (changed.length === 0) return [];
    const changes = changed.map(({ row, id }) => ({ ...row, id }));
    const answers = await this.rows.patchAll(transaction, changes);
    return changed.filter((_, place) => answers[place]?.found === undefined).map(({ row }) => row);
  }

  /** By the index of terms, which is asked once for all; the table is compared so that no other index looks better. */
  private matches(
    transaction: Runner,
    tableId: string,
    columnId: string,
    rows: readonly UpsertRow[],
  ): Promise<Match[]> {
    const values = rows.map(({ written, matched }) => matched[columnId] ?? written[columnId] ?? null);
    return transaction.query<Match>(sql`
      WITH given AS MATERIALIZED (
        SELECT place::int, contact_fold(value) AS key, contact_value_term(${columnId}, value) AS term
        FROM unnest(${values}::text[]) WITH ORDINALITY AS each (value, place) WHERE value IS NOT NULL),
      known AS MATERIALIZED (
        SELECT id, contact_fold(coalesce(matched ->> ${columnId}::text, cells ->> ${columnId}::text)) AS key FROM contact_row
        WHERE contact_terms(cells, matched) && (SELECT coalesce(array_agg(term), '{}') FROM given)
          AND table_id IS NOT DISTINCT FROM ${tableId}::uuid)
      SELECT DISTINCT ON (given.place) given.place, given.key, known.id FROM given LEFT JOIN known USING (key)
      ORDER BY given.place, known.id`);
  }
}

/** What is new, and what changes a row: one that was there, or one that is new itself and comes again further down. */
function sortOut(
  rows: readonly UpsertRow[],
  matches: readonly Match[],
): [fresh: NewRow[], changed: Matched[]] {
  const matchOf = new Map(matches.map((match) => [match.place, match]));
  const byKey = new Map<string, UpsertRow>();
  const withoutKey: UpsertRow[] = [];
  const changed: Matched[] = [];
  for (const [index, row] of rows.entries()) {
    const match = matchOf.get(index + 1);
    if (!match) withoutKey.push(row);
    else if (match.id !== null) changed.push({ row, id: match.id });
    else {
      const earlier = byKey.get(match.key);
      byKey.set(match.key, earlier ? { ...earlier, ...mergeCells(earlier, row) } : row);
    }
  }
  return [[...byKey.values(), ...withoutKey], changed];
}
