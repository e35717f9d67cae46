import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Database, issueKey } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import { anOrganisation, FakeTermii, TestSystem, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOf } from './database-of.js';

const apiKey = 'key-of-the-aggregator';
const messages = 100;
const recipientsPerMessage = 10;
const openStates = ['queued', 'submitting', 'sent'] as const;

interface Delivery {
  readonly recipient: string;
  readonly status: string;
  readonly error?: { readonly code: string };
  readonly refunded: boolean;
  readonly attempts: readonly { readonly provider: string; readonly outcome?: string }[];
}

/** A live organisation, in production, with two aggregators. One of them dies while messages are sent. */
describe('a provider that dies', () => {
  let system: TestSystem;
  let database: Database;
  let first: FakeTermii;
  let second: FakeTermii;
  let key: string;

  beforeAll(async () => {
    [first, second] = [await FakeTermii.start(apiKey), await FakeTermii.start(apiKey)];
    // No reports arrive, so every accepted message ends with its validity.
    system = await TestSystem.open({ NODE_ENV: 'production', DELIVERY_VALIDITY: '40s' });
    await system.start();
    database = await databaseOf(system);
    const { id: organisationId } = await anOrganisation(database, {
      mode: 'live',
      balanceKobo: 100_000_000n,
    });
    ({ key } = await issueKey(database, 'live', { organisationId, name: 'live', scopes: keyScopes }));
  });
  afterAll(async () => {
    await (database as Database | undefined)?.close();
    await system.close();
    await second.stop();
  });

  const admin = async (...args: readonly string[]): Promise<string> => {
    const script = fileURLToPath(new URL('../../../tools/admin/dist/main.js', import.meta.url));
    const env = { ...process.env, GANGAN_DATA_DIR: system.folder, KEY: apiKey };
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env });
    return stdout;
  };
  const send = async (number: number): Promise<string> => {
    const recipients = Array.from(
      { length: recipientsPerMessage },
      (_, index) => `+234803${String(1_000_000 + number * recipientsPerMessage + index)}`,
    );
    const body = { recipients: recipients.join(','), content: `Message ${number}`, sender_id: 'Acme' };
    const answer = await system.request({ method: 'POST', path: '/sms/send', key, body });
    expect(answer).toMatchObject({ status: 200 });
    return (answer.body as { id: string }).id;
  };
  const outcomesOf = ({ attempts }: Delivery): string =>
    attempts.map(({ provider, outcome }) => `${provider} ${outcome ?? '?'}`).join(', ');
  const deliveriesOf = async (id: string): Promise<readonly Delivery[]> => {
    const { body } = await system.request({ path: `/sms/${id}`, key });
    return (body as { deliveries: readonly Delivery[] }).deliveries;
  };

  it('loses no message and sends none twice; the attempts show what happened', async () => {
    for (const [name, { url }] of Object.entries({ first, second }))
      await admin(
        ...['providers', 'add', name, '--preset', 'termii', '--secret', 'api_key=KEY'],
        ...['--set', `request.url=${url}`, '--set', 'allowPrivate=true', '--registered-senders', 'no'],
      );
    await admin('routes', 'add', 'first:50,second:50');
    await until('the route is used', async () => {
      const { status } = await system.request({
        method: 'POST',
        path: '/sms/send',
        key,
        body: { recipients: '+2348039999999', content: 'First', sender_id: 'Acme' },
      });
      return status === 200;
    });
    let accepted = 0;
    first.behaviour = () => {
      accepted += 1;
      if (accepted === 200) setImmediate(() => void first.stop());
      return 'accept';
    };
    const ids: string[] = [];
    for (let number = 0; number < messages; number += 5)
      ids.push(...(await Promise.all([0, 1, 2, 3, 4].map((offset) => send(number + offset)))));
    expect(accepted).toBeGreaterThanOrEqual(200);
    const explained = await admin('routes', 'explain', 'test/live', '+2348031000000');
    expect(explained).toContain('first:50,second:50');
    expect(explained).toContain('first: it keeps failing');

    // From time to time one message tests the dead provider, and then goes to the other one.
    await until('a message is refused by the first provider and accepted by the second', async () => {
      ids.push(await send(ids.length));
      await pause(500);
      const recent = (await Promise.all(ids.slice(-10).map(deliveriesOf))).flat();
      return recent.map(outcomesOf).includes('first transient, second accepted');
    });
    await until(
      'every message is final',
      async () => (await database.delivery.count({ where: { state: { in: [...openStates] } } })) === 0,
      { timeoutMs: 180_000 },
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
    const listed = await admin('providers', 'list');
    expect(listed).toMatch(/first .*open/);
    expect(listed).toMatch(/second .*up/);
  });
});
