import { sql, type SqlRunner, statement, t } from '@gangan/database';

const maxMoved = 1_000;

/** Locked ones are in flight, or being claimed: they move when their attempt ends, or with the claim. */
const moveToHost = statement(
  { moved: t.int },
  (endpointId: string, limit: number) => sql`
    WITH endpoint AS MATERIALIZED (
      SELECT id, url, host FROM callback_endpoint WHERE id = ${endpointId}::uuid
    ), locked AS MATERIALIZED (
      SELECT callback.id FROM callback
      WHERE callback.endpoint_id = ${endpointId}::uuid AND state = 'pending' AND leased_until IS NULL
        AND callback.host <> (SELECT endpoint.host FROM endpoint)
      LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    ), moved AS (
      UPDATE callback SET url = endpoint.url, host = endpoint.host FROM endpoint
      WHERE callback.id = ANY (ARRAY(SELECT locked.id FROM locked)) RETURNING callback.id
    )
    SELECT count(*)::int AS moved FROM moved`,
);

/** Moves waiting callbacks of an endpoint to the host of its current URL. @returns whether there may be more */
export async function moveWaiting(database: SqlRunner, endpointId: string): Promise<boolean> {
  const [found] = await database.run(moveToHost, endpointId, maxMoved);
  return found?.moved === maxMoved;
}
