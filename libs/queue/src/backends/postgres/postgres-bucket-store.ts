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

/** These columns say who took tokens last, for buckets whose callers share them. */
const laterColumns = `
  ADD COLUMN IF NOT EXISTS caller text,
  ADD COLUMN IF NOT EXISTS called_at timestamptz,
  ADD COLUMN IF NOT EXISTS other_called_at timestamptz`;

/** Takes a lock, because IF NOT EXISTS alone fails if two processes create the table at once. */
export async function createBucketTable(client: pg.ClientBase, schema: string): Promise<void> {
  await client.query(`
    BEGIN;
    SELECT pg_advisory_xact_lock(hashtextextended('gangan token_bucket', 0));
    CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.${table};
    ALTER TABLE ${schema}.token_bucket ${laterColumns};
    COMMIT`);
}

/** Locks the rows in the order of their names, so that two processes never deadlock. */
const take = `
  INSERT INTO token_bucket AS bucket
    (name, tokens, granted, per_second, burst, asked_at, caller, called_at, other_called_at)
  SELECT name, level - least(wanted, floor(level)), least(wanted, floor(level)), per_second, burst, clock.now, caller,
    clock.now - called_ago * interval '1 second', clock.now - other_ago * interval '1 second'
  FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::text[], $7::float8[], $8::float8[])
    AS ask (name, wanted, per_second, burst, at_most, caller, called_ago, other_ago)
  CROSS JOIN LATERAL (SELECT least(burst, at_most) AS level) AS full_bucket
  CROSS JOIN (SELECT clock_timestamp() AS now) AS clock
  ORDER BY name
  ON CONFLICT (name) DO UPDATE SET
    (tokens, granted) = (
      SELECT level - least(excluded.granted, floor(level)), least(excluded.granted, floor(level))
      FROM (SELECT least(excluded.tokens + excluded.granted, bucket.tokens + excluded.per_second *
        greatest(0, extract(epoch FROM excluded.asked_at - bucket.asked_at)::float8)) AS level) AS refilled
    ),
    per_second = excluded.per_second,
    burst = excluded.burst,
    asked_at = greatest(excluded.asked_at, bucket.asked_at),
    caller = CASE WHEN excluded.called_at < bucket.called_at THEN bucket.caller
      ELSE coalesce(excluded.caller, bucket.caller) END,
    called_at = greatest(excluded.called_at, bucket.called_at),
    other_called_at = greatest(excluded.other_called_at, bucket.other_called_at,
      CASE WHEN excluded.caller <> bucket.caller THEN least(excluded.called_at, bucket.called_at) END)
  RETURNING name, granted, tokens, caller, extract(epoch FROM asked_at - called_at)::float8 * 1000 AS "agoMs",
    extract(epoch FROM asked_at - other_called_at)::float8 * 1000 AS "otherAgoMs"`;

interface BucketRow {
  readonly name: string;
  readonly granted: number;
  readonly tokens: number;
  readonly caller: string | null;
  readonly agoMs: number | null;
  readonly otherAgoMs: number | null;
}

const inSeconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1_000);

function toGrant({ granted, tokens, caller, agoMs, otherAgoMs }: BucketRow): Grant {
  if (caller === null || agoMs === null) return { granted, tokens };
  return { granted, tokens, lastCall: { caller, agoMs, otherAgoMs: otherAgoMs ?? undefined } };
}

export class PostgresBucketStore implements BucketStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly namespace: string,
  ) {}

  async take(requests: readonly TokenRequest[]): Promise<Grant[]> {
    const names = requests.map(({ bucket }) => `${this.namespace}:${bucket}`);
    const { rows } = await this.pool.query<BucketRow>({
      name: 'gangan-take-tokens',
      text: take,
      values: [
        names,
        requests.map(({ count }) => count),
        requests.map(({ limit }) => limit.perSecond),
        requests.map(({ limit }) => limit.burst),
        requests.map(({ atMost }) => atMost ?? null),
        requests.map(({ lastCall }) => lastCall?.caller ?? null),
        requests.map(({ lastCall }) => inSeconds(lastCall?.agoMs)),
        requests.map(({ lastCall }) => inSeconds(lastCall?.otherAgoMs)),
      ],
    });
    const found = new Map(rows.map((row) => [row.name, toGrant(row)]));
    return names.map((name) => found.get(name) ?? { granted: 0, tokens: 0 });
  }
}
