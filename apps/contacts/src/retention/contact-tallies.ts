import { Database, type Sql, sql, statement, t } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const batchSize = 500;

const tallies = { rows: sql`contact_tally`, bytes: sql`contact_size_tally` };

/** Replaces the tallies of each changed table by their sum. */
const replaceTallies = statement(
  { fresh: t.int },
  (tally: Sql, limit: number) => sql`
    WITH fresh AS MATERIALIZED (SELECT table_id FROM ${tally} WHERE NOT summed ORDER BY id LIMIT ${limit}),
    taken AS (
      DELETE FROM ${tally} WHERE id = ANY (ARRAY(
        SELECT known.id FROM (SELECT DISTINCT table_id FROM fresh) AS changed
        CROSS JOIN LATERAL (
          SELECT id FROM ${tally} WHERE table_id = changed.table_id FOR UPDATE SKIP LOCKED) AS known))
      RETURNING table_id, delta),
    sums AS (
      INSERT INTO ${tally} (table_id, delta, summed)
      SELECT table_id, sum(delta), true FROM taken GROUP BY table_id)
    SELECT count(*)::int AS fresh FROM fresh`,
  {
    samples: [
      [tallies.rows, 1],
      [tallies.bytes, 1],
    ],
  },
);

/** Adds up the changes of the sizes of contact tables. */
@Injectable()
export class ContactTallies {
  constructor(private readonly database: Database) {}

  @Periodic('summing contact tallies', 5_000)
  async sum(): Promise<boolean> {
    const [rows] = await this.database.run(replaceTallies, tallies.rows, batchSize);
    const [bytes] = await this.database.run(replaceTallies, tallies.bytes, batchSize);
    return rows?.fresh === batchSize || bytes?.fresh === batchSize;
  }
}
