import { type Sql, sql, type SqlRunner, statement, t } from '@gangan/database';

/**
 * Selects pending callbacks. Written like the predicate of `callback_waiting_endpoint_idx`: with `state = 'pending'` Postgres
 * could choose another index, and read all pending callbacks for each endpoint.
 */
export const isWaiting = sql`callback.state < 'delivered'`;

/** In two parts, because an index has no range for `<>`: moved callbacks leave both, so a slice does not read them again. */
const waitingElsewhere = (endpointId: string, comparison: Sql, limit: number): Sql => sql`
  (SELECT id FROM callback
   WHERE endpoint_id = ${endpointId}::uuid AND ${isWaiting} AND leased_until IS NULL
     AND host ${comparison} (SELECT endpoint.host FROM endpoint)
   LIMIT ${limit}::int)`;

/** Leaves out locked callbacks: they are in flight or being claimed, and move afterwards. */
const moveToHost = statement(
  { moved: t.int },
  (endpointId: string, limit: number) => sql`
    WITH endpoint AS MATERIALIZED (
      SELECT id, url, host FROM callback_endpoint WHERE id = ${endpointId}::uuid
    ), waiting AS MATERIALIZED (
      ${waitingElsewhere(endpointId, sql`<`, limit)} UNION ALL ${waitingElsewhere(endpointId, sql`>`, limit)}
    ), locked AS MATERIALIZED (
      SELECT id FROM callback WHERE id = ANY (ARRAY(SELECT waiting.id FROM waiting)) AND state::text = 'pending'
        AND leased_until IS NULL
      LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    ), moved AS (
      UPDATE callback SET url = endpoint.url, host = endpoint.host FROM endpoint
      WHERE callback.id = ANY (ARRAY(SELECT locked.id FROM locked)) RETURNING callback.id
    )
    SELECT count(*)::int AS moved FROM moved`,
);

/** Moves waiting callbacks of an endpoint to the host of its current URL. @returns whether there may be more */
export async function moveWaiting(database: SqlRunner, endpointId: string, limit: number): Promise<boolean> {
  const [found] = await database.run(moveToHost, endpointId, limit);
  return found?.moved === limit;
}
