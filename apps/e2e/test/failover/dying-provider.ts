import { setTimeout as pause } from 'node:timers/promises';
import { type Sql, sql } from '@gangan/database';
import { FakeTermii, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { admin } from '../support/admin-command.js';
import { newOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

const apiKey = 'key-of-the-aggregator';
const recipientsPerMessage = 10;

export interface Load {
  readonly messages: number;
  /** How many recipients the first provider accepts before it dies. */
  readonly acceptedFirst: number;
  /** Whether the providers and the route are those of all organisations. */
  readonly isForAll: boolean;
  /** Whether the test waits until the circuit is tested and the messages expire. Otherwise it moves these times. */
  readonly inRealTime: boolean;
}

interface Delivery {
  readonly recipient: string;
  readonly status: string;
  readonly refunded: boolean;
  readonly attempts: readonly { readonly provider: string; readonly outcome?: string }[];
}

interface OpenDelivery {
  readonly state: string;
  readonly provider: string | null;
  readonly attempt: number;
  readonly nextAttemptAt: Date;
}

/** A live organisation with two aggregators. One of them dies while messages are sent. */
export function survivesDyingProvider(
  { system, database }: RunningSystem,
  { messages, acceptedFirst, isForAll, inRealTime }: Load,
): void {
  let first: FakeTermii;
  let second: FakeTermii;
  let organisationId: string;
  let key: string;

  beforeAll(async () => {
    [first, second] = [await FakeTermii.start(apiKey), await FakeTermii.start(apiKey)];
    ({ id: organisationId, key } = await newOrganisation(database(), 'Failover', 100_000_000n, {
      mode: 'live',
    }));
  });
  afterAll(() => second.stop());

  const run = <T = Record<string, string>>(...args: string[]): Promise<T> =>
    admin<T>({ GANGAN_DATA_DIR: system().folder, KEY: apiKey }, ...args);
  const addRoute = async (): Promise<void> => {
    const owner = isForAll ? [] : ['--organisation', organisationId];
    for (const [name, { url }] of Object.entries({ first, second }))
      await run(
        ...['providers', 'add', name, ...owner, '--preset', 'termii', '--secret', 'api_key=KEY'],
        ...['--set', `request.url=${url}`, '--set', 'allowPrivate=true', '--registered-senders', 'no'],
      );
    await run('routes', 'add', 'first:50,second:50', ...owner);
    await run('organisations', 'provider-names', organisationId, 'shown');
    await until('the route is used', async () => {
      const body = { recipients: '+2348039999999', content: 'First', sender_id: 'Acme' };
      return (await system().request({ method: 'POST', path: '/sms/send', key, body })).status === 200;
    });
  };
  const send = async (number: number): Promise<string> => {
    const recipients = Array.from(
      { length: recipientsPerMessage },
      (_, index) => `+234803${String(1_000_000 + number * recipientsPerMessage + index)}`,
    );
    const body = { recipients: recipients.join(','), content: `Message ${number}`, sender_id: 'Acme' };
    const answer = await system().request({ method: 'POST', path: '/sms/send', key, body });
    expect(answer).toMatchObject({ status: 200 });
    return (answer.body as { id: string }).id;
  };
  const outcomesOf = ({ attempts }: Delivery): string =>
    attempts.map(({ provider, outcome }) => `${provider} ${outcome ?? '?'}`).join(', ');
  /** A busy gateway may refuse a request. */
  const deliveriesOf = (id: string): Promise<readonly Delivery[]> =>
    until(`GET /sms/${id} is answered`, async () => {
      const { status, body } = await system().request({ path: `/sms/${id}`, key });
      return status === 200 && (body as { deliveries: readonly Delivery[] }).deliveries;
    });
  const makeTestDue = (): Promise<number> =>
    database().execute(sql`
      UPDATE provider_health SET test_at = now() FROM provider
      WHERE provider.id = provider_id AND name = 'first' AND state = 'open'`);
  const endValidity = (): Promise<number> =>
    database().execute(sql`
      UPDATE delivery SET created_at = created_at - interval '24 hours', next_attempt_at = now()
      WHERE ${own()} AND state IN ('submitting', 'sent') AND next_attempt_at > now() + interval '1 hour'`);
  const own = (): Sql => sql`organisation_id = ${organisationId}::uuid`;
  const openDeliveries = (): Promise<OpenDelivery[]> =>
    database().query<OpenDelivery>(sql`
      SELECT state::text, provider, attempt, next_attempt_at AS "nextAttemptAt" FROM delivery
      WHERE ${own()} AND state IN ('queued', 'submitting', 'sent')`);

  it('loses no message and sends none twice; the attempts show what happened', async () => {
    await addRoute();
    let accepted = 0;
    first.behaviour = () => {
      accepted += 1;
      if (accepted === acceptedFirst) setImmediate(() => void first.stop());
      return 'accept';
    };
    const ids: string[] = [];
    for (let number = 0; number < messages; number += 5)
      ids.push(...(await Promise.all([0, 1, 2, 3, 4].map((offset) => send(number + offset)))));
    expect(accepted).toBeGreaterThanOrEqual(acceptedFirst);
    const explained = JSON.stringify(await run('routes', 'explain', organisationId, '+2348031000000'));
    expect(explained).toContain('first:50,second:50');
    expect(explained).toContain('first: it keeps failing');

    // From time to time one message tests the dead provider, and then goes to the other one.
    await until('a message is refused by the first provider and accepted by the second', async () => {
      if (!inRealTime) await makeTestDue();
      ids.push(await send(ids.length));
      if (inRealTime) await pause(500);
      const recent = (await Promise.all(ids.slice(-10).map(deliveriesOf))).flat();
      return recent.map(outcomesOf).includes('first transient, second accepted');
    });
    // No reports arrive, so every accepted message ends with its validity.
    let open: OpenDelivery[] = [];
    await until(
      'every message is final',
      async () => {
        if (!inRealTime) await endValidity();
        open = await openDeliveries();
        return open.length === 0;
      },
      { timeoutMs: 180_000, details: () => JSON.stringify(open.slice(0, 10)) },
    );
    const deliveries = (await Promise.all(ids.map(deliveriesOf))).flat();
    expect(deliveries).toHaveLength(ids.length * recipientsPerMessage);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['expired']));
    // Accepted, or possibly accepted, ones stay charged.
    expect(deliveries.filter(({ refunded }) => refunded)).toEqual([]);
    const handed = [...first.sent, ...second.sent].map(({ to }) => `+${to}`);
    const times = (recipient: string): number => handed.filter((each) => each === recipient).length;
    const isUnknown = ({ attempts }: Delivery): boolean => attempts.at(-1)?.outcome === 'unknown';
    const known = deliveries.filter((delivery) => !isUnknown(delivery));
    expect(known.filter(({ recipient }) => times(recipient) !== 1)).toEqual([]);
    // Those whose outcome is unknown were given to no other provider.
    const unknown = deliveries.filter(isUnknown);
    expect(unknown.length).toBeLessThanOrEqual(60);
    expect(unknown.filter(({ recipient }) => times(recipient) > 1)).toEqual([]);
    expect(unknown.every(({ attempts }) => attempts.every(({ provider }) => provider === 'first'))).toBe(
      true,
    );
    expect(deliveries.map(outcomesOf)).toContain('second accepted');
    const listed = await run<{ name: string; state: string }[]>('providers', 'list');
    expect(listed.find(({ name }) => name === 'first')).toMatchObject({ state: 'open' });
    expect(listed.find(({ name }) => name === 'second')).toMatchObject({ state: 'up' });
  });
}
