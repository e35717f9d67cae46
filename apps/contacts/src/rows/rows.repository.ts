import {
  command,
  Database,
  type RowOf,
  shareStatement,
  sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Cells } from '../cells/check-cell.js';
import { type Addition, Quotas } from '../quotas.js';
import {
  inLockOrder,
  joinKey,
  mergeChanges,
  type Row,
  type RowChange,
  rowColumns,
  type RowKey,
  rowShape,
} from './row.js';

export interface NewRow extends Pick<Cells, 'written' | 'matched'>, RowKey {
  readonly createdAt: Date;
}

@Injectable()
export class RowsRepository {
  /** Does nothing if the row exists. @throws AppError 403 if a quota is exceeded */
  readonly add = shareStatement(async (rows: readonly NewRow[]): Promise<(Error | undefined)[]> => {
    const errors = await this.quotas.check(this.database, rows.map(sizeOfNew));
    const accepted = rows.filter((_, index) => !errors[index]);
    if (accepted.length > 0) await this.database.run(insertRows, accepted);
    const refused = rows.filter((_, index) => errors[index]);
    const stored = refused.length > 0 ? await this.database.run(selectRows, refused) : [];
    const storedKeys = new Set(stored.map(joinKey));
    return rows.map((row, index) => (storedKeys.has(joinKey(row)) ? undefined : errors[index]));
  });

  /**
   * Merges cells into a row and returns the result; `undefined` if there is no such row.
   * @throws AppError 403 if a quota is exceeded
   */
  readonly patch = shareStatement(
    async (changes: readonly RowChange[]): Promise<(Row | Error | undefined)[]> => {
      const errors = await this.quotas.check(this.database, changes.map(sizeOfChange));
      const accepted = changes.filter((_, index) => !errors[index]);
      const patched = await this.database.run(patchRows, mergeChanges(accepted));
      return inOrder(changes, patched).map((row, index) => errors[index] ?? row);
    },
  );

  readonly find = shareStatement(
    async (keys: readonly RowKey[]) => inOrder(keys, await this.database.run(selectRows, keys)),
    { readOnly: true },
  );

  readonly remove = shareStatement(async (keys: readonly RowKey[]) =>
    inOrder(keys, await this.database.run(deleteRows, inLockOrder(keys))),
  );

  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
  ) {}

  /** Returns how many rows were new. Existing rows are not changed. @throws AppError 403 if a quota is exceeded */
  async insert(runner: SqlRunner, rows: readonly NewRow[]): Promise<number> {
    await this.quotas.require(runner, rows.map(sizeOfNew));
    return runner.run(insertRows, rows);
  }

  /**
   * Results are in the order of the changes. Changes of the same row are merged first, so each result shows all of them.
   * @throws AppError 403 if a quota is exceeded
   */
  async patchAll(runner: SqlRunner, changes: readonly RowChange[]): Promise<(Row | undefined)[]> {
    await this.quotas.require(runner, changes.map(sizeOfChange));
    return inOrder(changes, await runner.run(patchRows, mergeChanges(changes)));
  }
}

const sizeOfNew = ({ tableId, written }: NewRow): Addition => ({
  tableId,
  rows: 1,
  bytes: Buffer.byteLength(JSON.stringify(written)),
});

/** What a change replaces is not subtracted. A change that only clears cells is always possible. */
const sizeOfChange = ({ tableId, written }: RowChange): Addition => ({
  tableId,
  rows: 0,
  bytes: Object.keys(written).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(written)),
});

function inOrder(keys: readonly RowKey[], found: readonly FoundRow[]): (Row | undefined)[] {
  const byKey = new Map(found.map((row) => [joinKey(row), row]));
  return keys.map((key) => byKey.get(joinKey(key)));
}

const keyArrays = (keys: readonly RowKey[]) =>
  sql`${keys.map(({ tableId }) => tableId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[]`;

/** Bounds what a join reads of the table, whichever way it is planned. */
const isOneOf = (keys: readonly RowKey[]) => sql`
  stored.table_id = ANY (${keys.map(({ tableId }) => tableId)}::uuid[])
  AND stored.id = ANY (${keys.map(({ id }) => id)}::uuid[])`;

const insertRows = command(
  (rows: readonly NewRow[]) => sql`
  INSERT INTO contact_row (table_id, id, cells, matched, created_at, updated_at)
  SELECT table_id, id, cells::jsonb, matched::jsonb, created_at, created_at
  FROM unnest(${keyArrays(rows)}, ${rows.map(({ written }) => JSON.stringify(written))}::text[],
    ${rows.map(({ matched }) => JSON.stringify(matched))}::text[],
    ${rows.map(({ createdAt }) => createdAt)}::timestamptz[]) AS new (table_id, id, cells, matched, created_at)
  ON CONFLICT DO NOTHING`,
);

const foundShape = { tableId: t.uuid, ...rowShape };

const selectRows = statement(
  foundShape,
  (keys: readonly RowKey[]) => sql`
  SELECT wanted.table_id AS "tableId", ${rowColumns}
  FROM unnest(${keyArrays(keys)}) AS wanted (table_id, row_id)
  CROSS JOIN LATERAL (
    SELECT id, cells, created_at, updated_at FROM contact_row
    WHERE table_id = wanted.table_id AND id = wanted.row_id LIMIT 1) AS known`,
);

type FoundRow = RowOf<typeof selectRows>;

/** Locks the rows in their order first, like every statement that changes several. */
const deleteRows = statement(
  foundShape,
  (keys: readonly RowKey[]) => sql`
  WITH known AS MATERIALIZED (
    SELECT locked.table_id, locked.id
    FROM unnest(${keyArrays(keys)}) AS wanted (table_id, id)
    CROSS JOIN LATERAL (
      SELECT table_id, id FROM contact_row
      WHERE table_id = wanted.table_id AND id = wanted.id LIMIT 1 FOR UPDATE) AS locked)
  DELETE FROM contact_row AS stored USING known
  WHERE ${isOneOf(keys)} AND stored.table_id = known.table_id AND stored.id = known.id
  RETURNING stored.table_id AS "tableId", stored.id, stored.cells, stored.created_at AS "createdAt",
    stored.updated_at AS "updatedAt"`,
);

/** Locks the rows in their order first, then merges, so that concurrent changes of other cells are kept. */
const patchRows = statement(
  foundShape,
  (changes: readonly RowChange[]) => sql`
  WITH given AS MATERIALIZED (
    SELECT table_id, id, written::jsonb, matched::jsonb, ARRAY(SELECT jsonb_array_elements_text(touched::jsonb)) AS touched
    FROM unnest(${keyArrays(changes)}, ${changes.map(({ written }) => JSON.stringify(written))}::text[],
      ${changes.map(({ matched }) => JSON.stringify(matched))}::text[],
      ${changes.map(({ written, cleared }) => JSON.stringify([...Object.keys(written), ...cleared]))}::text[])
      AS each (table_id, id, written, matched, touched)),
  known AS MATERIALIZED (
    SELECT given.table_id, given.id, given.written, given.matched, given.touched
    FROM given CROSS JOIN LATERAL (
      SELECT id FROM contact_row
      WHERE table_id = given.table_id AND id = given.id LIMIT 1 FOR UPDATE) AS locked)
  UPDATE contact_row AS stored SET cells = (stored.cells - known.touched) || known.written,
    matched = (stored.matched - known.touched) || known.matched,
    updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), stored.updated_at)
  FROM known WHERE ${isOneOf(changes)} AND stored.table_id = known.table_id AND stored.id = known.id
  RETURNING stored.table_id AS "tableId", stored.id, stored.cells, stored.created_at AS "createdAt",
    stored.updated_at AS "updatedAt"`,
);
