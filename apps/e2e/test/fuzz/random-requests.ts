import { repetitions, until } from '@gangan/testing';
import { beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RunningSystem } from '../support/running.js';
import { heapOf } from './heap.js';
import { type FuzzedRequest, needsRecord, requestsOf, withRecord } from './requests.js';
import { knownTo, Records } from './records.js';
import { csv, DocumentedApi, type Operation } from '../interface/documented-api.js';
import { examplesOf } from '../interface/example.js';
import { exchange, type Received } from '../interface/exchange.js';
import { needsId } from '../interface/id-inputs.js';
import { assemble } from '../interface/request-parts.js';
import { linesOfRequest } from '../support/lines-of-request.js';
import { newOrganisation } from '../support/new-organisation.js';
import { type Ask, examplesIds } from '../tenants/seeds.js';

/** The total number of requests. */
const runs = repetitions(200, 4_000);
/** Operations that are tried at a time. With all of them, a busy machine does not reply in time. */
const atOnce = 10;
/** The most requests of one operation per organisation: the number of columns, smartlists and exports of each is limited. */
const perRound = 50;
const { seed = 0 } = fc.readConfigureGlobal();
const messageFields = [
  ...['smartlist_id', 'phone_column', 'personalisation', 'content', 'template_id'],
  // A reply goes to the sender of its message, on its channel.
  ...['reply_to', 'recipients', 'channel'],
  // Not in the past.
  'send_at',
];
/**
 * Fields for which a request may be rejected although it matches the schema, by path: they refer to something that must
 * exist (a smartlist, a column, a recipient) or must not exist yet, or depend on another field or on the changed record.
 */
const dependentFields: Readonly<Record<string, readonly string[]>> = {
  '/airtime/buy': ['amount', 'product_id', 'network'],
  '/sms/send': messageFields,
  '/sms/estimate': messageFields,
  // `page` times `limit` is bounded, and `page` excludes `before`.
  '/sms': ['page'],
  '/otp/request_token': ['fallback_channels', 'fallback_after'],
  '/otp/verify': ['token'],
  // A phone number, or a short code.
  '/simulator/inbound': ['to'],
  '/templates': ['name', 'variables'],
  '/templates/{id}': ['name', 'channel', 'variables'],
  '/lists/contact/columns': ['name'],
  '/lists/contact/columns/{column_id}': ['name'],
  '/lists/contact/rows': ['columns'],
  '/lists/contact/rows/{row_id}': ['columns'],
  '/lists/contact/rows/query': ['filters', 'smartlist_id', 'query_id', 'sort'],
  '/lists/contact/smartlists': ['name', 'filters'],
  '/lists/contact/smartlists/{smartlist_id}': ['name', 'filters'],
  '/lists/contact/imports': ['upsert', 'header'],
  '/lists/contact/exports': ['filters', 'smartlist_id'],
  '/lookup/batch': ['smartlist_id', 'phone_column'],
  '/callback-endpoints/{id}/recover': ['from', 'to', 'after'],
};
/** Paths of records whose number per organisation is limited. */
const limitedPaths: ReadonlySet<string> = new Set([
  ...['/lists/contact/imports', '/lists/contact/exports', '/lookup/batch', '/callback-endpoints'],
  '/otp/{id}/resend',
]);
/** Bytes that may remain: of code that is compiled only after the first round, and per request. More is a leak. */
const maxBytesLeft = { byCode: 1_500_000, perRequest: 1_500 };
const largeBalance = 100_000_000_000n;

export function answersAsDocumented({ system, database }: RunningSystem): void {
  let api: DocumentedApi;
  beforeAll(async () => {
    api = await DocumentedApi.of(system());
  });

  const asker = async (name: string): Promise<{ key: string; ask: Ask }> => {
    const { key } = await newOrganisation(database(), name, largeBalance);
    return { key, ask: (question) => system().request({ ...question, key }) };
  };

  it('accepts its own examples, if they need no id', async () => {
    const { key, ask } = await asker('Examples');
    const ids = await examplesIds(ask, database());
    const answerable = api.operations.filter((operation) => !needsId(operation, api));
    expect(answerable).not.toEqual([]);
    for (const operation of answerable)
      for (const example of examplesOf(operation, api, key, ids)) {
        const answer = await exchange(system().port, assemble(example));
        expect([operation.id, answer?.status, answer?.text]).toEqual([operation.id, 200, answer?.text]);
      }
  });

  it(
    'responds to any request as documented, never with 5xx, and leaks no memory',
    async () => {
      const perOperation = Math.ceil(runs / api.operations.length);
      const rounds = Math.ceil(perOperation / perRound);
      const numRuns = Math.ceil(perOperation / rounds);
      await round(seed - 1, Math.min(numRuns, perRound / 2));
      const before = await heapOf(system(), 'gateway');
      for (let past = 0; past < rounds; past += 1) await round(seed + past, numRuns);
      const requests = rounds * numRuns * api.operations.length;
      const limit = maxBytesLeft.byCode + maxBytesLeft.perRequest * requests;
      // Requests of other spec files take memory too, but only for a moment.
      await until(
        `at most ${limit} bytes are left`,
        async () => (await heapOf(system(), 'gateway')) - before < limit,
      );
    },
    Math.max(300_000, runs * 40),
  );

  /** Sends requests of every operation and reports all failures together. */
  const round = async (ownSeed: number, numRuns: number): Promise<void> => {
    const left = [...api.operations];
    const failures: Error[] = [];
    const tryNext = async (): Promise<void> => {
      for (let operation = left.shift(); operation; operation = left.shift())
        await tryOut(operation, ownSeed, numRuns).catch((error: unknown) => failures.push(error as Error));
    };
    await Promise.all(Array.from({ length: atOnce }, tryNext));
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} operations failed`);
  };

  const tryOut = async (operation: Operation, ownSeed: number, numRuns: number): Promise<void> => {
    const { key, ask } = await asker(operation.id);
    const known = operation.body ? await knownTo(ask, database()) : {};
    const records = new Records(operation.path, ask, database());
    await fc.assert(
      fc.asyncProperty(requestsOf(operation, api, { key, known }), async (request) => {
        if (!needsRecord(request)) return expectDescribed(operation, request);
        const id = await (request.unspoilt ? records.untouched() : records.any());
        return expectDescribed(operation, withRecord(request, id), id);
      }),
      { numRuns, seed: ownSeed },
    );
  };

  async function expectDescribed(
    operation: Operation,
    request: FuzzedRequest,
    recordId?: string,
  ): Promise<void> {
    const answer = await exchange(system().port, request);
    if (!answer) return;
    const requestId = answer.headers.get('x-request-id') ?? '';
    expect(requestId).toMatch(/^\S{1,128}$/);
    if (answer.status >= 500)
      throw new Error([answer.text, ...(await linesOfRequest(system(), requestId))].join('\n'));
    if (request.method === 'HEAD' || answer.status === 304) return;
    if (answer.status >= 400) expect(bodyOf(answer)).toMatchObject({ status: answer.status });
    if (request.unspoilt) {
      const shown = `${request.method} ${request.target} ${request.body?.toString() ?? ''}`;
      const isExpected =
        answer.status === 200 ||
        allowedErrors(operation, request, recordId).includes(answer.status) ||
        (answer.status === 400 && concernsDependentField(operation, answer));
      expect([answer.text, isExpected, shown]).toEqual([answer.text, true, shown]);
    }
    const fault = request.onRoute
      ? operation.faults(answer.status, bodyOf(answer))
      : answer.status >= 400
        ? api.refusal(bodyOf(answer))
        : undefined;
    expect([fault, answer.status, answer.text]).toEqual([undefined, answer.status, answer.text]);
  }

  /** Statuses of a rejected request that matches the schema, for reasons the schema cannot express. */
  const allowedErrors = (operation: Operation, { headers }: FuzzedRequest, recordId?: string): number[] => [
    402,
    ...(needsId(operation, api) && recordId === undefined ? [404] : []),
    ...(limitedPaths.has(operation.path) ? [403, 429] : []),
    // Random short keys repeat.
    ...(headers.some(([name]) => name === 'Idempotency-Key') ? [409, 422] : []),
  ];
}

const concernsDependentField = ({ path }: Operation, answer: Received): boolean => {
  const { errors = [] } = bodyOf(answer) as { readonly errors?: readonly { readonly field: string }[] };
  const fields = errors.map(({ field }) => field.split('.')[0] ?? '');
  return fields.length > 0 && fields.every((field) => dependentFields[path]?.includes(field));
};

const bodyOf = ({ headers, text }: Received): unknown => {
  const type = headers.get('content-type');
  if (type?.startsWith(csv)) return text;
  expect(type).toBe('application/json; charset=utf-8');
  return JSON.parse(text);
};
