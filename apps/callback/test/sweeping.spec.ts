import { sql } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackConfig } from '../src/callback.config.js';
import { ClaimsRepository, type DueHosts } from '../src/dispatch/claims.repository.js';
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

  it('reads one host of an organisation that is skipped, and all of the others', async () => {
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

  it('finds a host behind a thousand that are due for longer', async () => {
    const organisation = await recordFor(0);
    const urls = Array.from({ length: 1_001 }, (_, host) => `https://${host}.example/`);
    await Promise.all(urls.map((url) => callbacks.record(organisation, url)));
    await callbacks.database.execute(sql`UPDATE callback SET next_attempt_at = now() - interval '1 hour'`);
    const healthy = await recordFor(1);
    const { due } = await repository.findDueHosts();
    expect(due).toContainEqual(expect.objectContaining({ organisationId: healthy, isOpen: false }));
  });
});
