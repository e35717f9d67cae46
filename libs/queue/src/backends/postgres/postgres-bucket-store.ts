import type pg from 'pg';
import type { BucketStore, Grant, TokenRequest } from '../../limits/bucket-store.js';

/**
 * One row per bucket. The table is unlogged: if a crash of Postgres empties it, the buckets are full again. Each call
 * rewrites rows, so the fill factor leaves room to do that in place.
 */
const table = `token_bucket (
  name text PRIMARY KEY,
  tokens double precision NOT NULL,
  granted double precision NOT NULL,
  per_second double precision NOT NULL,
  burst double precision NOT NULL,
  asked_at timestamptz NOT NULL
) WITH (fillfactor = 50)`;

/** Takes a lock: IF NOT EXISTS alone fails if two processes create the table at once. */
export async function createBucketTable(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`
    BEGIN;
    SELECT pg_advisory_xact_lock(hashtextextended('gangan token_bucket', 0));
    CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.${table};
    COMMIT`);
}

/** Locks the rows in the order of their names, so that two processes never deadlock. */
const take = `
  INSERT INTO token_bucket AS bucket (name, tokens, granted, per_second, burst, asked_at)
  SELECT name, burst - least(wanted, burst), least(wanted, burst), per_second, burst, clock_timestamp()
  FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[]) AS ask (name, wanted, per_second, burst)
  ORDER BY name
  ON CONFLICT (name) DO UPDATE SET
    (tokens, granted) = (
      SELECT level - least(excluded.granted, floor(level)), least(excluded.granted, floor(level))
      FROM (SELECT least(excluded.burst, bucket.tokens + excluded.per_second *
        greatest(0, extract(epoch FROM excluded.asked_at - bucket.asked_at)::float8)) AS level) AS refilled
    ),
    per_second = excluded.per_second,
    burst = excluded.burst,
    asked_at = greatest(excluded.asked_at, bucket.asked_at)
  RETURNING name, granted, tokens`;

export class PostgresBucketStore implements BucketStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly namespace: string,
  ) {}

  async take(requests: readonly TokenRequest[]): Promise<Grant[]> {
    const names = requests.map(({ bucket }) => `${this.namespace}:${bucket}`);
    const { rows } = await this.pool.query<Grant & { readonly name: string }>({
      name: 'gangan-take-tokens',
      text: take,
      values: [
        names,
        requests.map(({ count }) => count),
        requests.map(({ limit }) => limit.perSecond),
        requests.map(({ limit }) => limit.burst),
      ],
    });
    const found = new Map(rows.map((row) => [row.name, row]));
    return names.map((name) => found.get(name) ?? { granted: 0, tokens: 0 });
  }
}
