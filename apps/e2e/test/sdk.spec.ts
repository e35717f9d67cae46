import { readFileSync } from 'node:fs';
import { sql } from '@gangan/database';
import { Gangan } from '@gangan/sdk';
import { acceptsConnections, freePort, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LostAnswers } from './sdk/lost-answers.js';
import { examplesOf, startExample } from './sdk/readme.js';
import { callEveryMethod, numbers } from './sdk/surface.js';
import { newCallbackSecret, newOrganisation, type NewOrganisation } from './support/new-organisation.js';
import { useSharedSystem } from './support/shared-system.js';

const running = useSharedSystem();
const { system, database } = running;
/** NGN 10,000. */
const money = 1_000_000n;

describe('the SDK, if the first answer to every request is lost', () => {
  let lost: LostAnswers;
  let gangan: Gangan;
  beforeAll(async () => {
    const { id, key } = await newOrganisation(database(), 'SDK', money, { defaultSender: 'Gangan' });
    await database().execute(sql`
      INSERT INTO organisation_price (organisation_id, service, prefix, kobo) VALUES (${id}::uuid, 'lookup', '', 150)`);
    lost = await LostAnswers.open(system().port);
    await callEveryMethod(new Gangan({ baseUrl: lost.url, apiKey: key }));
    gangan = new Gangan({ baseUrl: system().url, apiKey: key });
  });
  afterAll(() => lost.close());

  it('reaches every route for customers', () => {
    const { paths } = JSON.parse(
      readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
    ) as { readonly paths: Readonly<Record<string, object>> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // A route without parameters is found before one with them.
    const patterns = routes
      .toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
      .map((route) => [route, new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)] as const);
    const reached = new Set(
      lost.requests.map((request) => patterns.find(([, pattern]) => pattern.test(request))?.[0]),
    );
    expect(routes.filter((route) => !reached.has(route))).toEqual([
      'GET /healthz',
      'GET /l/{code}',
      'GET /readyz',
    ]);
    expect(lost.count).toBeGreaterThan(routes.length);
  });

  it('charges everything once', async () => {
    await until(
      'the scheduled message is refunded',
      async () => (await gangan.ledger.list({ kind: 'refund' })).entries.length > 0,
    );
    const movements: string[] = [];
    for await (const { kind, service, amount } of gangan.ledger.list())
      movements.push(`${kind} ${service ?? ''} ${amount}`);
    const times = (count: number, movement: string): string[] =>
      Array.from({ length: count }, () => movement);
    const expected = [
      // Of two lookups the second attempts were wanted; a batch has one number.
      ...times(5, 'charge lookup -1.5'),
      ...times(3, 'charge otp -4'),
      ...times(2, 'charge sms -4'),
      'refund sms 4',
      'reserve airtime -250',
      'top_up  10000',
    ];
    expect(movements.toSorted()).toEqual(expected);
    const spent = 5 * 1.5 + 3 * 4 + 4 + 250;
    expect(await gangan.balance.find()).toMatchObject({ available_balance: 10_000 - spent });
  });

  it('gives each recipient one message', async () => {
    const countOf = async (recipient: string): Promise<number> =>
      (await gangan.simulator.messages({ recipient })).messages.length;
    expect(await countOf(numbers.message)).toBe(1);
    expect(await countOf(numbers.scheduled)).toBe(0);
    // One of two OTPs was sent again.
    expect(await countOf(numbers.otp)).toBe(3);
    expect((await gangan.messages.list()).messages).toHaveLength(2);
  });
});

describe('the examples of the SDK', () => {
  const examples = examplesOf('libs/sdk/README.md');
  let organisation: NewOrganisation;
  beforeAll(async () => {
    organisation = await newOrganisation(database(), 'Examples', money, { defaultSender: 'Gangan' });
  });
  const runnable = (code: string): string =>
    code.replaceAll('http://localhost:3000', system().url).replaceAll('sk_test_demo', organisation.key);

  it('run', async () => {
    const printed: string[] = [];
    for (const example of [...examples.slice(0, 4), ...examplesOf('docs/use/http.md')]) {
      const { code, printed: text } = await startExample(runnable(example)).ended();
      expect([code, text]).toEqual([0, text]);
      printed.push(text);
    }
    expect(printed).toEqual([
      expect.stringMatching(/^[\da-f-]{36} processing\n$/),
      'VERIFIED\n',
      'true\n',
      expect.stringMatching(/^1\n(-4 \S+\n){2}$/),
      expect.stringMatching(/^[\da-f-]{36}\n$/),
    ]);
  });

  it.each([
    ['README of libs/sdk', examples.at(-1)],
    ['callbacks.md', examplesOf('docs/use/callbacks.md').at(-1)],
  ])('receive callbacks: %s', async (_, example = '') => {
    const port = await freePort();
    const secret = await newCallbackSecret(system(), database(), organisation.id);
    const receiver = startExample(example.replace('8080', String(port)), { CALLBACK_SECRET: secret });
    try {
      await until('the example listens', () => acceptsConnections(port));
      const gangan = new Gangan({ baseUrl: system().url, apiKey: organisation.key });
      const callback = `http://127.0.0.1:${port}/`;
      const { id } = await gangan.messages.send({ recipients: '08031234567', content: 'Hello', callback });
      await until('it receives the callback', () => receiver.printed().includes('message.delivered'));
      expect(receiver.printed()).toContain(id);
      expect((await fetch(callback, { method: 'POST', body: '{}' })).status).toBe(401);
    } finally {
      await receiver.stop();
    }
  });
});
