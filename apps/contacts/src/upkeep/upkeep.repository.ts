import { Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';

export interface RemovedColumn {
  readonly id: string;
  readonly tableId: string;
}

/** Whoever checked cells against a column before it was removed has written them by then. */
const grace = sql`interval '1 minute'`;

@Injectable()
export class UpkeepRepository {
  constructor(private readonly database: Database) {}

  /** Tells how many were there. */
  deleteEndedScrolls(most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM contact_scroll WHERE id = ANY (ARRAY(
        SELECT id FROM contact_scroll WHERE expires_at < now() ORDER BY expires_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  /** Makes one of all tallies of each table that has new ones; the sum stays. Tells how many new ones were looked at. */
  async addUpTallies(most: number): Promise<number> {
    const [looked] = await this.database.query<{ fresh: number }>(sql`
      WITH fresh AS MATERIALIZED (SELECT table_id FROM contact_tally WHERE NOT summed ORDER BY id LIMIT ${most}),
      taken AS (
        DELETE FROM contact_tally WHERE id = ANY (ARRAY(
          SELECT known.id FROM (SELECT DISTINCT table_id FROM fresh) AS changed
          CROSS JOIN LATERAL (
            SELECT id FROM contact_tally WHERE table_id = changed.table_id FOR UPDATE SKIP LOCKED) AS known))
        RETURNING table_id, delta),
      sums AS (
        INSERT INTO contact_tally (table_id, delta, summed)
        SELECT table_id, sum(delta), true FROM taken GROUP BY table_id)
      SELECT count(*)::int AS fresh FROM fresh`);
    return looked?.fresh ?? 0;
  }

  async removedColumn(): Promise<RemovedColumn | undefined> {
    const [column] = await this.database.query<RemovedColumn>(sql`
      SELECT id, table_id AS "tableId" FROM contact_column
      WHERE removed_at IS NOT NULL AND removed_at < now() - ${grace} ORDER BY removed_at LIMIT 1`);
    return column;
  }

  /** Takes the cells of a column out of some rows beyond one; tells where to go on, if there are more. */
  async clearCells({ id, tableId }: RemovedColumn, after: string, most: number): Promise<string | undefined> {
    const rows = await this.database.query<{ id: string }>(sql`
      SELECT id FROM contact_row WHERE table_id = ${tableId} AND id > ${after}::uuid ORDER BY id LIMIT ${most}`);
    await this.database.execute(sql`
      UPDATE contact_row SET cells = cells - ${id}::text, matched = matched - ${id}::text
      WHERE table_id = ${tableId} AND id = ANY (${rows.map((row) => row.id)}::uuid[]) AND cells ? ${id}::text`);
    return rows.length < most ? undefined : rows.at(-1)?.id;
  }

  async forgetColumn({ id }: RemovedColumn): Promise<void> {
    await this.database.execute(sql`DELETE FROM contact_column WHERE id = ${id} AND removed_at IS NOT NULL`);
  }
}
