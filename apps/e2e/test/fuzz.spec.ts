import { World } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { heapOf, tellingHeap } from './fuzz/heap-of.js';
import { type FuzzedRequest, requestsOf } from './fuzz/requests.js';
import { DescribedInterface, type Operation } from './interface/described.js';
import { examplesOf } from './interface/example.js';
import { exchange, type Received } from './interface/exchange.js';
import { needsId } from './interface/id-inputs.js';
import { assemble } from './interface/request-parts.js';
import { examplesIds } from './tenants/seeds.js';

/** Requests in all; `FUZZ_RUNS=1000000` makes a night of it, and `FUZZ_SEED` repeats one. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 2_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const key = 'sk_test_demo';
/**
 * Fields whose values a request as described may be refused for all the same, by path: they name what has to be there
 * (a smartlist, a column, one of the recipients) or what must not be there yet, or fit the text of another field.
 */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  '/sms/send': ['smartlist_id', 'phone_column', 'personalisation', 'content', 'template_id'],
  // Times `limit` it is bounded; and it stands instead of `before`.
  '/sms': ['page'],
  '/templates': ['name', 'variables'],
  '/lists/contact/columns': ['name'],
  '/lists/contact/rows': ['columns'],
  '/lists/contact/rows/query': ['filters', 'smartlist_id', 'query_id'],
  '/lists/contact/smartlists': ['name', 'filters'],
  '/lists/contact/smartlists/{smartlist_id}': ['filters'],
  '/lists/contact/imports': ['upsert', 'header'],
  '/lists/contact/exports': ['filters', 'smartlist_id'],
};
/** What an organisation may have only so many of. */
const crowded: ReadonlySet<string> = new Set(['/lists/contact/imports', '/lists/contact/exports']);
/** Once everything has been loaded and compiled, what a request leaves behind leaks; bytes. */
const mostLeft = 1_500;

describe(`every route of the description (FUZZ_SEED=${seed})`, () => {
  let world: World;
  let api: DescribedInterface;
  beforeAll(async () => {
    world = await World.open({ LOG_LEVEL: 'warn', ...tellingHeap });
    await world.start();
    api = await DescribedInterface.of(world);
  }, 120_000);
  afterAll(() => world.close(), 60_000);

  it('answers its own examples, where they need no id', async () => {
    const ids = await examplesIds((question) => world.ask({ ...question, key }));
    const answerable = api.operations.filter((operation) => !needsId(operation, api));
    expect(answerable).not.toEqual([]);
    for (const operation of answerable)
      for (const example of examplesOf(operation, api, key, ids)) {
        const answer = await exchange(world.port, assemble(example));
        expect([operation.id, answer?.status, answer?.text]).toEqual([operation.id, 200, answer?.text]);
      }
  }, 60_000);

  it(
    'answers anything as described, never with a failure of its own, and keeps its memory',
    async () => {
      const share = Math.max(50, Math.ceil(runs / api.operations.length));
      const drive = (count: number, ownSeed: number) =>
        Promise.all(
          api.operations.map((operation, index) =>
            fc.assert(
              fc.asyncProperty(requestsOf(operation, api, key), (request) =>
                expectDescribed(operation, request),
              ),
              { numRuns: count, seed: ownSeed + index },
            ),
          ),
        );
      await drive(Math.ceil(share / 3), seed + 1_000);
      const before = await heapOf(world, 'gateway');
      await drive(share, seed);
      const left = (await heapOf(world, 'gateway')) - before;
      expect(left / (share * api.operations.length)).toBeLessThan(mostLeft);
    },
    Math.max(120_000, runs * 20),
  );

  async function expectDescribed(operation: Operation, request: FuzzedRequest): Promise<void> {
    const answer = await exchange(world.port, request);
    if (!answer) return;
    expect(answer.headers.get('x-request-id')).toMatch(/^\S{1,128}$/);
    expect([answer.status < 500, answer.status, answer.text]).toEqual([true, answer.status, answer.text]);
    if (request.method === 'HEAD' || answer.status === 304) return;
    if (answer.status >= 400) expect(bodyOf(answer)).toMatchObject({ status: answer.status });
    if (request.unspoilt) {
      const isExpected =
        answer.status === 200 ||
        mayRefuse(operation, request).includes(answer.status) ||
        (answer.status === 400 && isUnsaid(operation, answer));
      expect([answer.text, isExpected, request]).toEqual([answer.text, true, request]);
    }
    const fault = request.onRoute
      ? operation.faults(answer.status, bodyOf(answer))
      : answer.status >= 400
        ? api.refusal(bodyOf(answer))
        : undefined;
    expect([fault, answer.status, answer.text]).toEqual([undefined, answer.status, answer.text]);
  }

  /** How a request that is as described may be refused all the same: for what no description can tell. */
  const mayRefuse = (operation: Operation, { headers }: FuzzedRequest): number[] => [
    402,
    ...(needsId(operation, api) ? [404] : []),
    ...(crowded.has(operation.path) ? [429] : []),
    // A short key is soon chosen twice.
    ...(headers.some(([name]) => name === 'Idempotency-Key') ? [409, 422] : []),
  ];
});

const isUnsaid = ({ path }: Operation, answer: Received): boolean => {
  const { errors = [] } = bodyOf(answer) as { readonly errors?: readonly { readonly field: string }[] };
  const fields = errors.map(({ field }) => field.split('.')[0] ?? '');
  return fields.length > 0 && fields.every((field) => unsaid[path]?.includes(field));
};

const bodyOf = ({ headers, text }: Received): unknown => {
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  return JSON.parse(text);
};
