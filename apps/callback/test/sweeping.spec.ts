import { sql } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { Registry } from '@gangan/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackConfig } from '../src/callback.config.js';
import { CallbackMetrics } from '../src/callback.metrics.js';
import { ClaimsRepository, type DueHosts } from '../src/dispatch/claims.repository.js';
import type { Dispatcher } from '../src/dispatch/dispatcher.js';
import type { Host } from '../src/dispatch/host-limits.js';
import { Sweeper } from '../src/dispatch/sweeper.js';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let repository: ClaimsRepository;

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  repository = new ClaimsRepository(
    callbacks.database,
    new LeaseHolder('callback'),
    new CallbackConfig({ CALLBACK_TIMEOUT_MS: 1_000 }),
  );
});
beforeEach(() => callbacks.database.execute(sql`DELETE FROM callback`));
afterAll(() => callbacks.close());

const recordFor = async (hosts: number): Promise<string> => {
  const organisation = await callbacks.organisation();
  for (let host = 0; host < hosts; host++) {
    await callbacks.record(organisation, `https://${host}.example/`, 2);
  }
  return organisation;
};

describe('a sweep', () => {
  it('reads all hosts in parts, each once', async () => {
    await recordFor(7);
    const waiting = await recordFor(6);
    await callbacks.database.execute(sql`
      UPDATE callback SET next_attempt_at = now() + interval '1 hour'
      WHERE organisation_id = ${waiting} AND host <> '3.example'`);
    const sweeps: DueHosts[] = [];
    let last: DueHosts['last'];
    do {
      const sweep = await repository.findDueHosts(last, [], 4);
      ({ last } = sweep);
      sweeps.push(sweep);
    } while (last);
    const due = sweeps.flatMap((sweep) => sweep.due.map(({ host }) => host));
    expect(due.toSorted()).toEqual([
      ...['0.example', '1.example', '2.example', '3.example', '3.example'],
      ...['4.example', '5.example', '6.example'],
    ]);
    expect(sweeps).toHaveLength(4);
  });

  it('reads one host of a skipped organisation, and all hosts of others', async () => {
    const ids = [await recordFor(4), await recordFor(4), await recordFor(4)].toSorted();
    const [first = '', second = '', third = ''] = ids;
    const countAfter = async (after: DueHosts['last'], skipped: readonly string[]) => {
      const { due } = await repository.findDueHosts(after, skipped);
      return ids.map((id) => due.filter(({ organisationId }) => organisationId === id).length);
    };
    expect(await countAfter(undefined, [second])).toEqual([4, 1, 4]);
    expect(await countAfter({ organisationId: first, host: '1.example' }, [first, second])).toEqual([
      0, 1, 4,
    ]);
    expect(await countAfter({ organisationId: second, host: '1.example' }, [])).toEqual([0, 2, 4]);
    expect(await countAfter(undefined, [first, second, third])).toEqual([1, 1, 1]);
  });

  it('finds a host behind thousands of another organisation that are due for longer', async () => {
    const many = await callbacks.organisation();
    await callbacks.database.execute(sql`
      INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, next_attempt_at)
      SELECT gen_random_uuid(), ${many}::uuid, 'airtime.success', gen_random_uuid(), 'https://' || n || '.example/',
        n || '.example', '{}', 'request', now() - interval '1 hour'
      FROM generate_series(1, 6000) AS n`);
    const healthy = await recordFor(1);
    const found: Host[] = [];
    const dispatcher: Pick<Dispatcher, 'add' | 'fullOrganisations'> = {
      add: (hosts) => found.push(...hosts),
      fullOrganisations: () => (found.length >= 500 ? [many] : []),
    };
    const sweeper = new Sweeper(repository, dispatcher as Dispatcher, new CallbackMetrics(new Registry()));
    await sweeper.sweep();
    expect(found).toContainEqual(expect.objectContaining({ organisationId: healthy }));
    // The first statement cannot know that the organisation has too many.
    expect(found.length).toBeLessThan(2_000);
  });
});

it('a callback whose state comes before `delivered` is pending, as an index assumes', async () => {
  const [states] = await callbacks.database.query<{ before: string }>(
    sql`SELECT enum_range(NULL, 'delivered'::callback_state)::text AS before`,
  );
  expect(states).toEqual({ before: '{pending,delivered}' });
});
