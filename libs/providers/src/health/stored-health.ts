import {
  command,
  type ProviderDomain,
  type RowOf,
  type Sql,
  sql,
  type SqlRunner,
  statement,
  t,
  unnest,
} from '@gangan/database';

/** `open`: it keeps failing. `paused`: it refuses our account. Neither gets calls, except one that tests it. */
export type ProviderState = 'up' | StoppedState;
export type StoppedState = 'open' | 'paused';

/** The first test is after `firstMs`. Each failed test doubles the time to the next one, up to `maxMs`. */
const testDelays = {
  open: { firstMs: 5_000, maxMs: 300_000 },
  paused: { firstMs: 60_000, maxMs: 900_000 },
} as const;

/** The factor by which a reduced rate grows each second. */
export const rateGrowth = 1.05;

/** Submissions are counted for this and the previous period. */
export const countedMinutes = 5;

const healthShape = {
  provider: t.text,
  state: t.enumOf<ProviderState>('provider_state'),
  /** The time until the provider can be tested; 0 if it is up, or can be tested now. */
  testInMs: t.float,
  /** For how long the provider wants no messages. */
  retryAfterMs: t.float,
  /** Recipients per second, as it has grown until now; `null` if it was never slowed down. */
  slowedRate: t.nullable(t.float),
};

const creditShape = {
  creditMicros: t.nullable(t.bigint),
  creditCurrency: t.nullable(t.text),
  creditAt: t.nullable(t.timestamp),
};

export type StoredHealth = RowOf<{ readonly shape: typeof healthShape }>;

const slowedNow = (health: Sql): Sql => sql`${health}.slowed_rate * ${rateGrowth}::float8
  ^ least(600, extract(epoch FROM now() - ${health}.slowed_at))::float8`;

const untilMs = (time: Sql): Sql =>
  sql`greatest(0, coalesce(extract(epoch FROM ${time} - now()), 0))::float8 * 1000`;

const columnsOf = (health: Sql): Sql => sql`
  ${untilMs(sql`${health}.test_at`)} AS "testInMs", ${untilMs(sql`${health}.retry_after`)} AS "retryAfterMs",
  ${slowedNow(health)} AS "slowedRate"`;

const health = sql`health`;
const known = sql`known`;

const findHealth = statement(
  { ...healthShape, ...creditShape, rate: t.nullable(t.int) },
  (domain: ProviderDomain) => sql`
    SELECT provider.name AS provider, coalesce(health.state, 'up') AS state, ${columnsOf(health)}, provider.rate,
      health.credit_micros AS "creditMicros", health.credit_currency::text AS "creditCurrency",
      health.credit_at AS "creditAt"
    FROM provider LEFT JOIN provider_health health ON health.provider_id = provider.id
    WHERE ${domain}::provider_domain = ANY (provider.domains)`,
  { samples: [['message']] },
);

/**
 * Opens the circuit of a provider, or pauses it. A provider that is already stopped changes only by a test of its state,
 * or from open to paused: calls that were in flight when it was stopped do not count again.
 */
const stop = statement(
  { ...healthShape, changed: t.bool },
  (provider: string, state: StoppedState, code: string, isTest: boolean) => {
    const { firstMs, maxMs } = testDelays[state];
    const afterMs = (failures: Sql): Sql => sql`
      now() + interval '1 millisecond' * least(${maxMs}::float8, ${firstMs}::float8 * 2 ^ least(${failures}, 30))
        * (1 + random() / 5)`;
    const before = sql`CASE WHEN known.state = excluded.state THEN known.failures ELSE 0 END`;
    return sql`
    INSERT INTO provider_health AS known (provider_id, state, test_at, failures, error_code, error_at)
    SELECT id, ${state}::provider_state, ${afterMs(sql`0`)}, 1, ${code}, now() FROM provider WHERE name = ${provider}
    ON CONFLICT (provider_id) DO UPDATE SET state = excluded.state,
      since = CASE WHEN known.state = excluded.state THEN known.since ELSE now() END,
      test_at = ${afterMs(before)}, failures = ${before} + 1,
      error_code = excluded.error_code, error_at = excluded.error_at
    WHERE CASE WHEN ${isTest} THEN known.state = excluded.state
      ELSE known.state = 'up' OR known.state = 'open' AND excluded.state = 'paused' END
    RETURNING ${provider}::text AS provider, known.state, ${columnsOf(known)},
      coalesce(old.state, 'up') <> known.state AS changed`;
  },
  { samples: [['', 'open', '', false]] },
);

/** Claims the test of a provider: until it ends, or its time is over, no other worker tests it. */
const claimTest = statement(
  healthShape,
  (provider: string, testMs: number) => sql`
    UPDATE provider_health known SET test_at = now() + ${testMs}::float8 * interval '1 millisecond'
    FROM provider WHERE provider.id = known.provider_id AND provider.name = ${provider}
      AND known.state <> 'up' AND known.test_at <= now()
    RETURNING provider.name AS provider, known.state, ${columnsOf(known)}`,
);

/** Lets another delivery test the provider at once: `since` is in the past, so the test is due. */
const releaseTest = statement(
  healthShape,
  (provider: string) => sql`
    UPDATE provider_health known SET test_at = known.since
    FROM provider WHERE provider.id = known.provider_id AND provider.name = ${provider} AND known.state <> 'up'
    RETURNING provider.name AS provider, known.state, ${columnsOf(known)}`,
);

/** @param tested the state that a test found to be over; another worker may have changed it since */
const resume = statement(
  healthShape,
  (provider: string, tested: StoppedState) => sql`
    UPDATE provider_health known SET state = 'up', since = now(), test_at = NULL, failures = 0
    FROM provider WHERE provider.id = known.provider_id AND provider.name = ${provider}
      AND known.state = ${tested}::provider_state
    RETURNING provider.name AS provider, known.state, ${columnsOf(known)}`,
  { samples: [['', 'open']] },
);

/** Halves the rate, at most once a second. */
const slowDown = statement(
  healthShape,
  (provider: string, rate: number) => sql`
    INSERT INTO provider_health AS known (provider_id, slowed_rate, slowed_at)
    SELECT id, greatest(1, ${rate}::float8 / 2), now() FROM provider WHERE name = ${provider}
    ON CONFLICT (provider_id) DO UPDATE SET slowed_at = now(),
      slowed_rate = greatest(1, least(${rate}::float8, coalesce(${slowedNow(known)}, ${rate}::float8)) / 2)
    WHERE known.slowed_at IS NULL OR known.slowed_at <= now() - interval '1 second'
    RETURNING ${provider}::text AS provider, known.state, ${columnsOf(known)}`,
);

/** No worker gives the provider messages until then. A later time stays. */
const postpone = statement(
  healthShape,
  (provider: string, retryAfterMs: number) => sql`
    INSERT INTO provider_health AS known (provider_id, retry_after)
    SELECT id, now() + ${retryAfterMs}::float8 * interval '1 millisecond' FROM provider WHERE name = ${provider}
    ON CONFLICT (provider_id) DO UPDATE SET retry_after = excluded.retry_after
    WHERE known.retry_after IS NULL OR known.retry_after < excluded.retry_after
    RETURNING ${provider}::text AS provider, known.state, ${columnsOf(known)}`,
);

/** What one worker has submitted to a provider since it wrote its last counts. */
export interface SubmissionCounts {
  readonly provider: string;
  submitted: number;
  notAccepted: number;
  /** The code of the last submission that was not accepted. */
  code: string | undefined;
}

const addCounts = command((counts: readonly SubmissionCounts[]) => {
  const isCurrent = sql`known.counted_since > now() - ${countedMinutes}::int * interval '1 minute'`;
  const isPrevious = sql`known.counted_since > now() - ${2 * countedMinutes}::int * interval '1 minute'`;
  const kept = (count: Sql): Sql => sql`CASE WHEN ${isCurrent} THEN ${count} ELSE 0 END`;
  const before = (count: Sql, earlier: Sql): Sql =>
    sql`CASE WHEN ${isCurrent} THEN ${earlier} WHEN ${isPrevious} THEN ${count} ELSE 0 END`;
  const columns = { text: ['provider', 'code'], int: ['submitted', 'notAccepted'] } as const;
  return sql`
    INSERT INTO provider_health AS known (provider_id, submitted, not_accepted, error_code, error_at)
    SELECT id, given.submitted, given.not_accepted, given.code, CASE WHEN given.code IS NOT NULL THEN now() END
    FROM ${unnest('given', counts, columns)} JOIN provider ON provider.name = given.provider ORDER BY id
    ON CONFLICT (provider_id) DO UPDATE SET
      submitted = ${kept(sql`known.submitted`)} + excluded.submitted,
      not_accepted = ${kept(sql`known.not_accepted`)} + excluded.not_accepted,
      submitted_before = ${before(sql`known.submitted`, sql`known.submitted_before`)},
      not_accepted_before = ${before(sql`known.not_accepted`, sql`known.not_accepted_before`)},
      counted_since = CASE WHEN ${isCurrent} THEN known.counted_since ELSE now() END,
      error_code = coalesce(excluded.error_code, known.error_code),
      error_at = coalesce(excluded.error_at, known.error_at)`;
});

/** The health of providers in the database. Every change returns nothing if another worker was first. */
export const storedHealth = {
  readAll: (database: SqlRunner, domain: ProviderDomain) => database.run(findHealth, domain),
  async stop(database: SqlRunner, provider: string, state: StoppedState, code: string, isTest: boolean) {
    const [row] = await database.run(stop, provider, state, code, isTest);
    return row;
  },
  async claimTest(database: SqlRunner, provider: string, testMs: number) {
    const [row] = await database.run(claimTest, provider, testMs);
    return row;
  },
  async releaseTest(database: SqlRunner, provider: string) {
    const [row] = await database.run(releaseTest, provider);
    return row;
  },
  async resume(database: SqlRunner, provider: string, tested: StoppedState) {
    const [row] = await database.run(resume, provider, tested);
    return row;
  },
  async slowDown(database: SqlRunner, provider: string, rate: number) {
    const [row] = await database.run(slowDown, provider, rate);
    return row;
  },
  async postpone(database: SqlRunner, provider: string, retryAfterMs: number) {
    const [row] = await database.run(postpone, provider, retryAfterMs);
    return row;
  },
  addCounts: (database: SqlRunner, counts: readonly SubmissionCounts[]) => database.run(addCounts, counts),
};
