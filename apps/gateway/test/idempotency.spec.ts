import { request as httpRequest } from 'node:http';
import { sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { AppError, fieldError, newId, outcomeUnknown, unavailable } from '@gangan/protocol';
import { newSealingKey } from '@gangan/sealing';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { defaultBodyLimit } from '../src/http/request/body-parser.js';
import { ClaimRepository } from '../src/idempotency/claim.repository.js';
import { SealedResponses } from '../src/idempotency/sealed-responses.js';
import { FakeOperations, operationsModule } from './support/fake-operations.js';
import { expectError } from './support/error-shape.js';
import { Gate } from './support/gate.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';
import { GatewayFixture } from './support/gateway-fixture.js';

interface Sent {
  readonly key?: string;
  readonly body?: object;
  readonly method?: string;
  readonly path?: string;
  readonly at?: RunningGateway;
  readonly as?: string;
}

const json: readonly [string, string] = ['content-type', 'application/json'];
const secondsToWait = ({ headers }: Answer): number => Number(headers['retry-after']);
const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

describe('an Idempotency-Key', () => {
  const operations = new FakeOperations();
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let second: RunningGateway;
  let apiKey: string;
  let key: string;
  let gate: Gate;
  let retryGate: Gate;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: operationsModule(operations) });
    second = await fixture.gateway({ module: operationsModule(operations) });
    apiKey = (await fixture.issueKey({ scopes: ['sms:write'] })).key;
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    key = newId();
    [gate, retryGate] = [new Gate(), new Gate()];
  });
  afterEach(() => {
    // Also after a failed test, no request may keep waiting.
    gate.open();
    retryGate.open();
    operations.behave();
    jest.restoreAllMocks();
  });

  /** By default the body contains the key, so that runs can be counted by it. */
  const send = (sent: Sent = {}): Promise<Answer> =>
    (sent.at ?? gateway).call({
      method: sent.method ?? 'POST',
      path: sent.path ?? '/operations',
      headers: [['authorization', sent.as ?? apiKey], json, ['idempotency-key', sent.key ?? key]],
      body: JSON.stringify(sent.body ?? { key }),
    });
  const runs = () => operations.runsWith(key);
  const claims = () => fixture.database.idempotencyClaim.findMany({ where: { key } });
  const endLease = () =>
    fixture.database.idempotencyClaim.updateMany({
      where: { key },
      data: { leasedUntil: new Date(Date.now() - 1_000) },
    });
  const fail = (error: Error) => {
    operations.behave(() => {
      throw error;
    });
  };

  it('carries out a request once and replays its response byte for byte', async () => {
    const first = await send();
    expect(first).toMatchObject({ status: 200, json: { id: runs()[0]?.operationId } });
    expect(isReplay(first)).toBe(false);
    const again = await send({ at: second });
    expect(isReplay(again)).toBe(true);
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(again.headers['content-length']).toBe(first.headers['content-length']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(runs()).toHaveLength(1);
  });

  it('costs nothing if it is absent', async () => {
    const claimed = jest.spyOn(gateway.part(ClaimRepository), 'claim');
    const stored = jest.spyOn(gateway.part(ClaimRepository), 'store');
    const call = () =>
      gateway.call({
        method: 'POST',
        path: '/operations',
        headers: [['authorization', apiKey], json],
        body: JSON.stringify({ key }),
      });
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    expect(runs()).toHaveLength(2);
    expect([claimed.mock.calls, stored.mock.calls]).toEqual([[], []]);
  });

  it('lets one of 100 concurrent requests through, on two gateways', async () => {
    operations.behave(async ({ operationId }) => {
      await gate.pass();
      return { id: operationId };
    });
    const calls = Array.from({ length: 100 }, (_, index) => send({ at: index % 2 ? gateway : second }));
    await Promise.race(calls);
    gate.open();
    const answers = await Promise.all(calls);
    expect(runs()).toHaveLength(1);
    const executed = answers.filter((answer) => answer.status === 200 && !isReplay(answer));
    expect(executed).toHaveLength(1);
    const others = answers.filter((answer) => answer !== executed[0]);
    for (const other of others.filter(({ status }) => status !== 200)) {
      expect(expectError(other, 409)).toEqual(['Idempotency-Key in_progress']);
      expect(secondsToWait(other)).toBe(1);
    }
    expect(others.filter(isReplay).every(({ text }) => text === executed[0]?.text)).toBe(true);
    expect(await send()).toMatchObject({ status: 200, text: executed[0]?.text });
    expect(runs()).toHaveLength(1);
  });

  it('is for one request only: another body or query is 422, also while the first is in progress', async () => {
    operations.behave(async () => {
      await gate.pass();
      return {};
    });
    const body = { key, a: 1, b: [{ c: 1, d: 2 }] };
    const first = send({ body });
    await gate.reached;
    const mismatch = ['Idempotency-Key idempotency_mismatch'];
    expect(expectError(await send({ body: { key, a: 2 } }), 422)).toEqual(mismatch);
    gate.open();
    await first;
    expect(expectError(await send({ body: { key, a: 2 }, at: second }), 422)).toEqual(mismatch);
    expect(expectError(await send({ body, path: '/operations?x=1' }), 422)).toEqual(mismatch);
    expect(isReplay(await send({ body: { b: [{ d: 2, c: 1 }], a: 1, key } }))).toBe(true);
    expect(runs()).toHaveLength(1);
  });

  it('belongs to one organisation, method and path', async () => {
    const other = await fixture.issueKey({ scopes: ['sms:write'] });
    await send();
    await send({ as: other.key });
    await send({ method: 'PATCH', path: '/operations/1' });
    await send({ method: 'PATCH', path: '/operations/2' });
    expect(runs()).toHaveLength(4);
    expect(isReplay(await send({ path: '/operations/' }))).toBe(true);
    expect(isReplay(await send({ method: 'PATCH', path: '/operations/2/' }))).toBe(true);
    expect(runs()).toHaveLength(4);
  });

  it('works with a path of any length', async () => {
    const path = `/operations/${'x'.repeat(8_000)}`;
    expect((await send({ method: 'PATCH', path: `${path}1` })).status).toBe(200);
    expect(isReplay(await send({ method: 'PATCH', path: `${path}1` }))).toBe(true);
    expect(isReplay(await send({ method: 'PATCH', path: `${path}2` }))).toBe(false);
  });

  it.each([402, 404, 409])('replays a final %i', async (status) => {
    fail(new AppError('final', status, 'It is so', { fields: [fieldError('a', 'b')] }));
    const first = await send();
    operations.behave();
    const again = await send();
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
    expect(again).toMatchObject({ status, text: first.text });
    expect(runs()).toHaveLength(1);
  });

  it.each([
    [400, new AppError('invalid', 400, 'No')],
    [401, new AppError('bad_key', 401, 'No')],
    [429, new AppError('rate_limited', 429, 'No')],
    [503, unavailable()],
  ])('is free again after %i, for another body too', async (status, error) => {
    fail(error);
    expectError(await send(), status);
    expect(await claims()).toEqual([]);
    operations.behave();
    expect((await send({ body: { key, other: true } })).status).toBe(200);
  });

  it('allows an immediate retry after an unexpected failure, under the same operation id', async () => {
    fail(new Error('after the commit'));
    expectError(await send(), 500);
    expectError(await send({ body: { key, other: true } }), 422);
    operations.behave();
    expect((await send()).status).toBe(200);
    const [first, again] = runs();
    expect(again?.operationId).toBe(first?.operationId);
  });

  it('rejects duplicates while an outcome is unknown, then allows a retry with the same id', async () => {
    operations.behave(({ operationId }) => {
      throw outcomeUnknown(operationId);
    });
    const unknown = await send();
    expect(expectError(unknown, 503)).toEqual(['id outcome_unknown']);
    operations.behave();
    await fixture.database.execute(
      sql`UPDATE idempotency_claim SET leased_until = now() + interval '9 seconds' WHERE key = ${key}`,
    );
    const early = await send();
    expect(expectError(early, 409)).toEqual(['Idempotency-Key in_progress']);
    expect(secondsToWait(unknown)).toBeGreaterThan(25);
    expect(secondsToWait(early)).toBeGreaterThan(1);
    expect(secondsToWait(early)).toBeLessThanOrEqual(9);
    await endLease();
    expect(await send()).toMatchObject({ status: 200, json: { id: runs()[0]?.operationId } });
    expect(runs()).toHaveLength(2);
  });

  it('recognises an unknown outcome by the code of the error, not by its fields', async () => {
    fail(new AppError('outcome_unknown', 503, 'No answer'));
    expectError(await send(), 503);
    expectError(await send(), 409);
    await endLease();
    const unknownField = fieldError('id', 'No', 'outcome_unknown');
    key = newId();
    fail(new AppError('unavailable', 503, 'Nothing was accepted', { fields: [unknownField] }));
    expectError(await send(), 503);
    expect(await claims()).toEqual([]);
  });

  it('keeps the id of an unknown outcome when a retry is rejected', async () => {
    operations.behave(({ operationId }) => {
      throw outcomeUnknown(operationId);
    });
    await send();
    await endLease();
    for (const error of [unavailable(), new AppError('invalid', 400, 'No')]) {
      fail(error);
      expectError(await send(), error.status);
    }
    operations.behave();
    expect((await send()).status).toBe(200);
    expect(new Set(runs().map(({ operationId }) => operationId)).size).toBe(1);
    expect(runs()).toHaveLength(4);
  });

  it('survives a gateway that dies between the work and the response', async () => {
    operations.behave(async () => {
      await gate.pass();
      return { late: true };
    });
    const dead = send();
    await gate.reached;
    expectError(await send({ at: second }), 409);
    await endLease();
    operations.behave(async ({ operationId }) => {
      await retryGate.pass();
      return { id: operationId };
    });
    const retry = send({ at: second });
    await retryGate.reached;
    // If the first gateway is still alive, its late response is not stored.
    gate.open();
    expect((await dead).json).toEqual({ late: true });
    expectError(await send(), 409);
    retryGate.open();
    const { text, json: answered } = await retry;
    expect(answered).toEqual({ id: runs()[0]?.operationId });
    expect(await send()).toMatchObject({ status: 200, text });
    expect(runs()).toHaveLength(2);
  });

  it('is claimed by one of several requests that see the lease expire at the same moment', async () => {
    const { organisationId } = await fixture.issueKey();
    const scope = { organisationId, method: 'POST', path: '/operations', key };
    const claim = (at: RunningGateway) =>
      at
        .part(ClaimRepository)
        .claim({ scope, operationId: newId(), fingerprints: [Buffer.alloc(32)], leaseMs: 60_000 });
    await claim(gateway);
    await endLease();
    const waiting = sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%known%'`;
    const claimants = await fixture.database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT FROM idempotency_claim WHERE key = ${key} FOR UPDATE`);
      const both = [claim(gateway), claim(second)];
      await until(
        'both statements wait for a lock',
        async () => (await fixture.database.query(waiting)).length === both.length,
      );
      return { both };
    });
    const results = await Promise.all(claimants.both);
    expect(results.map(({ is }) => is).sort()).toEqual(['claimed', 'running']);
  });

  it('stores the response for a caller who disconnected', async () => {
    operations.behave(async ({ operationId }) => {
      await gate.pass();
      return { id: operationId };
    });
    const hangUp = callAndHangUp(gateway.port, apiKey, key);
    await gate.reached;
    hangUp();
    gate.open();
    operations.behave();
    await until('the response is replayed', async () => isReplay(await send()));
    expect(runs()).toHaveLength(1);
  });

  it('sends a response that cannot be stored', async () => {
    operations.behave(async ({ operationId }) => {
      await fixture.postgres.kill();
      return { id: operationId };
    });
    const operationId = () => runs()[0]?.operationId;
    try {
      expect(await send()).toMatchObject({ status: 200, json: { id: operationId() } });
    } finally {
      await fixture.postgres.restart();
    }
    expect(gateway.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        operationId: operationId(),
        msg: expect.stringContaining('claim was not ended'),
      }),
    );
    operations.behave();
    await until('the claim is visible', async () => (await send()).status === 409);
    await endLease();
    expect(await send()).toMatchObject({ status: 200, json: { id: operationId() } });
    expect(runs()).toHaveLength(2);
  });

  it('accepts nothing while the database is unavailable', async () => {
    const away = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    jest.spyOn(gateway.part(ClaimRepository), 'claim').mockRejectedValue(away);
    const answer = await send();
    expectError(answer, 503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(runs()).toEqual([]);
  });

  it('ends a claim that came too late to be used', async () => {
    const claims = gateway.part(ClaimRepository);
    const claim = claims.claim.bind(claims);
    jest.spyOn(claims, 'claim').mockImplementationOnce(async (input) => {
      const result = await claim(input);
      await gate.pass();
      return result;
    });
    expectError(await send(), 503);
    expectError(await send(), 409);
    gate.open();
    await until('the key is free', async () => (await send({ body: { another: key } })).status === 200);
    expect(runs()).toHaveLength(1);
  });

  it.each([[''], ['a b'], ['x'.repeat(256)]])('that is %j is rejected', async (bad) => {
    expect(expectError(await send({ key: bad }), 400)).toEqual(['Idempotency-Key value_error']);
    expect(runs()).toEqual([]);
  });

  it('is ignored on a public route', async () => {
    await send({ path: '/open/operations' });
    expect(isReplay(await send({ path: '/open/operations' }))).toBe(false);
    expect(runs()).toHaveLength(2);
  });

  it('is ignored on a route that only reads', async () => {
    await send({ path: '/operations/query' });
    expect(isReplay(await send({ path: '/operations/query', key: 'not a key' }))).toBe(false);
    expect(isReplay(await send({ path: '/operations/query', body: { key, other: true } }))).toBe(false);
    expect(runs()).toHaveLength(3);
    expect(await claims()).toEqual([]);
  });

  it('stores a response that is no larger than a body; after a larger one a duplicate runs again, under the same operation id', async () => {
    const textOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    operations.behave(() => textOf(defaultBodyLimit));
    await send();
    expect(isReplay(await send())).toBe(true);
    key = newId();
    operations.behave(() => textOf(defaultBodyLimit + 1));
    expect((await send()).status).toBe(200);
    expect(await claims()).toMatchObject([{ answerStatus: null, answerBody: null }]);
    expectError(await send({ body: { key, other: true } }), 422);
    const again = await send();
    expect([again.status, isReplay(again)]).toEqual([200, false]);
    expect(new Set(runs().map(({ operationId }) => operationId)).size).toBe(1);
    expect(runs()).toHaveLength(2);
  });

  it('is removed after a day, but not while it is in use', async () => {
    operations.behave(async () => {
      await gate.pass();
      return {};
    });
    const running = send();
    await gate.reached;
    operations.behave();
    const [old, young] = [newId(), newId()];
    await send({ key: old });
    await send({ key: young });
    const age = (which: string, hours: number) =>
      fixture.database.idempotencyClaim.updateMany({
        where: { key: which },
        data: { createdAt: new Date(Date.now() - hours * 3_600_000) },
      });
    await Promise.all([age(key, 25), age(old, 24.1), age(young, 23.9)]);
    await Promise.all([gateway, second].map((each) => each.part(Retention).prune()));
    const left = await fixture.database.idempotencyClaim.findMany({
      where: { key: { in: [key, old, young] } },
    });
    expect(left.map((claim) => claim.key).sort()).toEqual([key, young].sort());
    gate.open();
    await running;
  });

  it('is removed by any gateway periodically', async () => {
    await send();
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await fixture.database.idempotencyClaim.updateMany({ where: { key }, data: { createdAt: yesterday } });
    await fixture.gateway({ module: operationsModule(operations) });
    await until('all claims are deleted', async () => (await claims()).length === 0);
  });

  it('is recognised under both keys during a rotation', async () => {
    const repository = new ClaimRepository(fixture.database, new SealedResponses([newSealingKey()], false));
    const { organisationId } = await fixture.issueKey();
    const scope = { organisationId, method: 'POST', path: '/operations', key };
    const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const claim = async (...fingerprints: Buffer[]) =>
      (await repository.claim({ scope, operationId: newId(), fingerprints, leaseMs: 60_000 })).is;
    expect(await claim(older)).toBe('claimed');
    expect(await claim(newer, older)).toBe('running');
    expect(await claim(newer)).toBe('another_request');
  });
});

function callAndHangUp(port: number, apiKey: string, key: string): () => void {
  const body = JSON.stringify({ key });
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/operations',
    headers: {
      authorization: apiKey,
      'content-type': 'application/json',
      'content-length': body.length,
      'idempotency-key': key,
    },
  });
  request.on('error', () => undefined);
  request.end(body);
  return () => request.destroy();
}
