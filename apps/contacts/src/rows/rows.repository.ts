import { Database, type Sql, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Cells } from '../cells/check-cells.js';
import type { Runner } from '../runner.js';
import { type Change, inLockOrder, keyOf, mergeChanges, type RowPlace } from './merge-changes.js';
import { type Row, rowColumns } from './row.js';

export interface NewRow extends Pick<Cells, 'written' | 'matched'>, RowPlace {
  readonly createdAt: Date;
}

type Found = Row & { readonly tableId: string };

@Injectable()
export class RowsRepository {
  private readonly additions = new StatementLoader(async (rows: readonly NewRow[]) => {
    await this.insert(this.database, rows);
    return rows.map(() => undefined);
  });
  private readonly changes = new StatementLoader((changes: readonly Change[]) =>
    this.patchAll(this.database, changes),
  );
  private readonly rows = new StatementLoader((places: readonly RowPlace[]) => this.findAll(places), {
    readOnly: true,
  });
  private readonly removals = new StatementLoader((places: readonly RowPlace[]) => this.removeAll(places));

  constructor(private readonly database: Database) {}

  /** A row that is there already stays as it is. */
  add(row: NewRow): Promise<undefined> {
    return this.additions.load(row);
  }

  /** Merges cells into a row, and gives it as it is then; nothing when there is no such row. */
  async patch(change: Change): Promise<Row | undefined> {
    return (await this.changes.load(change)).found;
  }

  async find(place: RowPlace): Promise<Row | undefined> {
    return (await this.rows.load(place)).found;
  }

  /** Gives the row as it was. */
  async remove(place: RowPlace): Promise<Row | undefined> {
    return (await this.removals.load(place)).found;
  }

  /** Tells how many were new: rows that are there already stay as they are. */
  insert(runner: Runner, rows: readonly NewRow[]): Promise<number> {
    return runner.execute(sql`
      INSERT INTO contact_row (table_id, id, cells, matched, created_at, updated_at)
      SELECT table_id, id, cells::jsonb, matched::jsonb, created_at, created_at
      FROM unnest(${rows.map(({ tableId }) => tableId)}::uuid[], ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ written }) => JSON.stringify(written))}::text[],
        ${rows.map(({ matched }) => JSON.stringify(matched))}::text[],
        ${rows.map(({ createdAt }) => createdAt)}::timestamptz[]) AS fresh (table_id, id, cells, matched, created_at)
      ON CONFLICT DO NOTHING`);
  }

  /** In the order of the changes; several of one row are merged first, so that each answer has all of them. */
  async patchAll(runner: Runner, changes: readonly Change[]): Promise<{ found: Row | undefined }[]> {
    const merged = mergeChanges(changes);
    const found = await runner.query<Found>(patching(merged));
    return inOrder(changes, found);
  }

  private async findAll(places: readonly RowPlace[]): Promise<{ found: Row | undefined }[]> {
    const found = await this.database.query<Found>(sql`
      SELECT asked.table_id AS "tableId", ${rowColumns}
      FROM unnest(${places.map(({ tableId }) => tableId)}::uuid[], ${places.map(({ id }) => id)}::uuid[])
        AS asked (table_id, row_id)
      CROSS JOIN LATERAL (
        SELECT id, cells, created_at, updated_at FROM contact_row
        WHERE table_id = asked.table_id AND id = asked.row_id LIMIT 1) AS known`);
    return inOrder(places, found);
  }

  /** Rows are locked in their order first, as those who change several do. */
  private async removeAll(places: readonly RowPlace[]): Promise<{ found: Row | undefined }[]> {
    const sorted = inLockOrder(places);
    const removed = await this.database.query<Found>(sql`
      WITH known AS MATERIALIZED (
        SELECT locked.table_id, locked.id
        FROM unnest(${sorted.map(({ tableId }) => tableId)}::uuid[], ${sorted.map(({ id }) => id)}::uuid[])
          AS asked (table_id, id)
        CROSS JOIN LATERAL (
          SELECT table_id, id FROM contact_row
          WHERE table_id = asked.table_id AND id = asked.id LIMIT 1 FOR UPDATE) AS locked)
      DELETE FROM contact_row AS gone USING known
      WHERE gone.table_id = known.table_id AND gone.id = known.id
      RETURNING gone.table_id AS "tableId", gone.id, gone.cells, gone.created_at AS "createdAt",
        gone.updated_at AS "updatedAt"`);
    return inOrder(places, removed);
  }
}

/** Rows are locked in their order first; what somebody else wrote meanwhile is merged with, not overwritten. */
const patching = (changes: readonly Change[]): Sql => sql`
  WITH given AS MATERIALIZED (
    SELECT table_id, id, written::jsonb, matched::jsonb, ARRAY(SELECT jsonb_array_elements_text(touched::jsonb)) AS touched
    FROM unnest(${changes.map(({ tableId }) => tableId)}::uuid[], ${changes.map(({ id }) => id)}::uuid[],
      ${changes.map(({ written }) => JSON.stringify(written))}::text[],
      ${changes.map(({ matched }) => JSON.stringify(matched))}::text[],
      ${changes.map(({ written, cleared }) => JSON.stringify([...Object.keys(written), ...cleared]))}::text[])
      AS each (table_id, id, written, matched, touched)),
  known AS MATERIALIZED (
    SELECT given.table_id, given.id, given.written, given.matched, given.touched
    FROM given CROSS JOIN LATERAL (
      SELECT id FROM contact_row
      WHERE table_id = given.table_id AND id = given.id LIMIT 1 FOR UPDATE) AS locked)
  UPDATE contact_row AS kept SET cells = (kept.cells - known.touched) || known.written,
    matched = (kept.matched - known.touched) || known.matched,
    updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), kept.updated_at)
  FROM known WHERE kept.table_id = known.table_id AND kept.id = known.id
  RETURNING kept.table_id AS "tableId", kept.id, kept.cells, kept.created_at AS "createdAt",
    kept.updated_at AS "updatedAt"`;

function inOrder(places: readonly RowPlace[], found: readonly Found[]): { found: Row | undefined }[] {
  const byPlace = new Map(found.map((row) => [keyOf(row), row]));
  return places.map((place) => ({ found: byPlace.get(keyOf(place)) }));
}
