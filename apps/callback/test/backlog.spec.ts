import { Database, sql } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { isFullSuite } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackConfig } from '../src/callback.config.js';
import { ClaimsRepository } from '../src/dispatch/claims.repository.js';
import type { Host } from '../src/dispatch/host-limits.js';
import { TestCallbacks } from './support/test-callbacks.js';

/** How many hosts one sweep finds and one claim is for. */
const batch = 50;

let callbacks: TestCallbacks;
let organisations: string[];
/** Has one connection, which keeps its plans; what it reads is counted. */
let worker: Database;

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  organisations = await Promise.all(Array.from({ length: 20 }, () => callbacks.organisation()));
});
beforeEach(() => callbacks.database.execute(sql`TRUNCATE callback CASCADE`));
afterEach(() => worker.close());
afterAll(() => callbacks.close());

const connect = (planCacheMode: string): ClaimsRepository => {
  const url = new URL(callbacks.url);
  url.searchParams.set('options', `-c plan_cache_mode=${planCacheMode}`);
  worker = new Database({ url: url.href, poolSize: 1 });
  return new ClaimsRepository(
    worker,
    new LeaseHolder('callback'),
    new CallbackConfig({ CALLBACK_TIMEOUT_MS: 1_000 }),
  );
};

/** Stores callbacks of the organisations in turn, each for a host of its own. */
const store = (state: 'delivered' | 'pending', count: number, owners: readonly string[]) =>
  callbacks.database.execute(sql`
    INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, state, request_id, ended_at,
      next_attempt_at)
    SELECT gen_random_uuid(), (${owners}::uuid[])[1 + n % ${owners.length}::int], 'airtime.success', gen_random_uuid(),
      'https://' || n || '.example/', n || '.example', '{}', ${state}::callback_state, 'request',
      CASE WHEN ${state} = 'delivered' THEN now() END, CASE WHEN ${state} = 'pending' THEN now() END
    FROM generate_series(1, ${count}::int) AS n`);

const entriesRead = async (): Promise<number> => {
  await worker.query(sql`SELECT pg_stat_force_next_flush()`);
  const [read] = await callbacks.database.query<{ entries: number }>(sql`
    SELECT sum(idx_tup_read)::int AS entries FROM pg_stat_user_indexes WHERE relname = 'callback'`);
  return read?.entries ?? 0;
};

const history = (owners: readonly string[]) => store('delivered', isFullSuite ? 4_000 : 1_500, owners);
const backlog = (owners: readonly string[]) => store('pending', isFullSuite ? 5_000 : 2_000, owners);
const vacuum = () => callbacks.database.execute(sql`VACUUM ANALYZE callback`);

interface State {
  readonly state: string;
  /** @param plan lets the connection make its plans before the backlog exists */
  readonly reach: (owners: readonly string[], plan: () => Promise<unknown>) => Promise<unknown>;
}

const states: State[] = [
  {
    state: 'the table was empty when the plans were made',
    reach: async (owners, plan) => {
      await plan();
      await backlog(owners);
    },
  },
  {
    state: 'only the history was analysed',
    reach: async (owners) => {
      await history(owners);
      await vacuum();
      await backlog(owners);
    },
  },
  {
    state: 'nothing was pending when the plans were made',
    reach: async (owners, plan) => {
      await history(owners);
      await vacuum();
      await plan();
      await backlog(owners);
    },
  },
  {
    state: 'all was analysed',
    reach: async (owners) => {
      await history(owners);
      await backlog(owners);
      await vacuum();
    },
  },
  {
    state: 'an earlier backlog was deleted before the last ANALYZE',
    reach: async (owners) => {
      await history(owners);
      await backlog(owners);
      await callbacks.database.transaction(async (transaction) => {
        // What it reads is counted before the test, and not while the worker reads.
        await transaction.query(sql`SELECT pg_stat_force_next_flush()`);
        await transaction.execute(sql`DELETE FROM callback WHERE state = 'pending'`);
      });
      await vacuum();
      await backlog(owners);
    },
  },
];

describe.each(states)('with a backlog, if $state', ({ reach }) => {
  it.each([
    [1, 'force_generic_plan'],
    [1, 'force_custom_plan'],
    [20, 'force_generic_plan'],
    [20, 'force_custom_plan'],
  ])('a sweep and a claim read few callbacks (organisations: %i, %s)', async (count, planCacheMode) => {
    const repository = connect(planCacheMode);
    const owners = organisations.slice(0, count);
    const sweep = () => repository.findDueHosts(undefined, [], batch);
    const claim = (hosts: readonly Host[]) =>
      repository.claim(hosts, (known) =>
        known.map((host) => ({ host, pool: 'fast', limit: 2, remaining: 2, slots: 2, ahead: 0 })),
      );
    await reach(owners, async () => {
      await sweep();
      await claim(owners.map((organisationId) => ({ organisationId, host: 'idle.example' })));
    });

    const before = await entriesRead();
    const { due } = await sweep();
    const afterSweep = await entriesRead();
    const claimed = await claim(due);
    const afterClaim = await entriesRead();

    expect(claimed.callbacks).toHaveLength(batch);
    expect(afterSweep - before).toBeLessThanOrEqual(2 * batch);
    expect(afterClaim - afterSweep).toBeLessThanOrEqual(4 * batch);
  });
});
