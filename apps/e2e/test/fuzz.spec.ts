import type { Database } from '@gangan/database';
import { TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databaseOf } from './database-of.js';
import { heapOf, tellingHeap } from './fuzz/heap-of.js';
import { about, type FuzzedRequest, isAboutSomething, requestsOf } from './fuzz/requests.js';
import { knownTo, Things } from './fuzz/things.js';
import { csv, DescribedInterface, type Operation } from './interface/described.js';
import { examplesOf } from './interface/example.js';
import { exchange, type Received } from './interface/exchange.js';
import { needsId } from './interface/id-inputs.js';
import { assemble } from './interface/request-parts.js';
import { newOrganisation } from './tenants/new-organisation.js';
import { type Ask, examplesIds } from './tenants/seeds.js';

/** Requests in all; `FUZZ_RUNS=1000000` makes a night of it. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 2_000);
/** Of one operation to one organisation, which may have only so many columns, smartlists and exports. */
const perRound = 50;
const { seed = 0 } = fc.readConfigureGlobal();
/**
 * Fields whose values a request as described may be refused for all the same, by path: they name what has to be there
 * (a smartlist, a column, one of the recipients) or what must not be there yet, or fit what another field, or the thing
 * that is changed, says.
 */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  '/sms/send': ['smartlist_id', 'phone_column', 'personalisation', 'content', 'template_id'],
  // Times `limit` it is bounded; and it stands instead of `before`.
  '/sms': ['page'],
  '/otp/verify': ['token'],
  '/templates': ['name', 'variables'],
  '/templates/{id}': ['name', 'channel', 'variables'],
  '/lists/contact/columns': ['name'],
  '/lists/contact/columns/{column_id}': ['name'],
  '/lists/contact/rows': ['columns'],
  '/lists/contact/rows/{row_id}': ['columns'],
  '/lists/contact/rows/query': ['filters', 'smartlist_id', 'query_id'],
  '/lists/contact/smartlists': ['name', 'filters'],
  '/lists/contact/smartlists/{smartlist_id}': ['name', 'filters'],
  '/lists/contact/imports': ['upsert', 'header'],
  '/lists/contact/exports': ['filters', 'smartlist_id'],
};
/** What an organisation may have only so many of. */
const crowded: ReadonlySet<string> = new Set(['/lists/contact/imports', '/lists/contact/exports']);
/** Once everything has been loaded and compiled, what a request leaves behind leaks; bytes. */
const mostLeft = 1_500;
const plenty = 100_000_000_000n;
const unlimited = {
  RATE_LIMIT_PER_SECOND: '0',
  OTP_SENDS_PER_RECIPIENT: '0',
  OTP_SENDS_PER_PREFIX: '0',
  OTP_TRIES_PER_RECIPIENT: '0',
};

describe('every route of the description', () => {
  let system: TestSystem;
  let database: Database;
  let api: DescribedInterface;
  beforeAll(async () => {
    system = await TestSystem.open({ LOG_LEVEL: 'warn', ...unlimited, ...tellingHeap });
    await system.start();
    database = await databaseOf(system);
    api = await DescribedInterface.of(system);
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await system.close();
  }, 60_000);

  const asker = async (name: string): Promise<{ key: string; ask: Ask }> => {
    const key = await newOrganisation(database, name, plenty);
    return { key, ask: (question) => system.request({ ...question, key }) };
  };

  it('answers its own examples, where they need no id', async () => {
    const { key, ask } = await asker('Examples');
    const ids = await examplesIds(ask);
    const answerable = api.operations.filter((operation) => !needsId(operation, api));
    expect(answerable).not.toEqual([]);
    for (const operation of answerable)
      for (const example of examplesOf(operation, api, key, ids)) {
        const answer = await exchange(system.port, assemble(example));
        expect([operation.id, answer?.status, answer?.text]).toEqual([operation.id, 200, answer?.text]);
      }
  }, 60_000);

  it(
    'answers anything as described, never with a failure of its own, and keeps its memory',
    async () => {
      const rounds = Math.ceil(runs / api.operations.length / perRound);
      await round(seed - 1, perRound / 2);
      const before = await heapOf(system, 'gateway');
      for (let past = 0; past < rounds; past += 1) await round(seed + past, perRound);
      const left = (await heapOf(system, 'gateway')) - before;
      expect(left / (rounds * perRound * api.operations.length)).toBeLessThan(mostLeft);
    },
    Math.max(300_000, runs * 40),
  );

  /** Something of every operation; all that fails is told. */
  const round = async (ownSeed: number, numRuns: number): Promise<void> => {
    const tried = await Promise.allSettled(
      api.operations.map(async (operation) => {
        const { key, ask } = await asker(operation.id);
        const known = operation.body ? await knownTo(ask) : {};
        const things = new Things(operation.path, ask);
        await fc.assert(
          fc.asyncProperty(requestsOf(operation, api, { key, known }), async (request) => {
            if (!isAboutSomething(request)) return expectDescribed(operation, request);
            const id = await (request.unspoilt ? things.untouched() : things.any());
            return expectDescribed(operation, about(request, id), id);
          }),
          { numRuns, seed: ownSeed },
        );
      }),
    );
    const failures = tried.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} operations failed`);
  };

  async function expectDescribed(
    operation: Operation,
    request: FuzzedRequest,
    thing?: string,
  ): Promise<void> {
    const answer = await exchange(system.port, request);
    if (!answer) return;
    expect(answer.headers.get('x-request-id')).toMatch(/^\S{1,128}$/);
    expect([answer.status < 500, answer.status, answer.text]).toEqual([true, answer.status, answer.text]);
    if (request.method === 'HEAD' || answer.status === 304) return;
    if (answer.status >= 400) expect(bodyOf(answer)).toMatchObject({ status: answer.status });
    if (request.unspoilt) {
      const shown = `${request.method} ${request.target} ${request.body?.toString() ?? ''}`;
      const isExpected =
        answer.status === 200 ||
        mayRefuse(operation, request, thing).includes(answer.status) ||
        (answer.status === 400 && isUnsaid(operation, answer));
      expect([answer.text, isExpected, shown]).toEqual([answer.text, true, shown]);
    }
    const fault = request.onRoute
      ? operation.faults(answer.status, bodyOf(answer))
      : answer.status >= 400
        ? api.refusal(bodyOf(answer))
        : undefined;
    expect([fault, answer.status, answer.text]).toEqual([undefined, answer.status, answer.text]);
  }

  /** How a request that is as described may be refused all the same: for what no description can tell. */
  const mayRefuse = (operation: Operation, { headers }: FuzzedRequest, thing?: string): number[] => [
    402,
    ...(needsId(operation, api) && thing === undefined ? [404] : []),
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
  const type = headers.get('content-type');
  if (type?.startsWith(csv)) return text;
  expect(type).toBe('application/json; charset=utf-8');
  return JSON.parse(text);
};
