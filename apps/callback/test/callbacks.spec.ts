import { CallbackQuota, recordCallbacks } from '@gangan/callbacks';
import type { AirtimeCallback, CallbackPage, ListCallbacksRequest } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId, type RequestContext } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DueCallbacks } from '../src/dispatch/due-callbacks.js';
import { CallbackBodies } from '../src/attempts/callback-bodies.js';
import { CallbackRepository } from '../src/callback.repository.js';
import { CallbackService } from '../src/callback.service.js';
import { TestCallbacks } from './support/test-callbacks.js';

const at = '2026-11-15T09:30:00.123000+00:00';
const url = 'https://example.com/hook';

let callbacks: TestCallbacks;
let service: CallbackService;
let mine: RequestContext;
let theirs: RequestContext;
/** The ids passed to the dispatcher. */
const announced: string[] = [];

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  const nudges = {
    add: (ids: readonly string[]) => void announced.push(...ids),
  } as unknown as DueCallbacks;
  const bodies = new CallbackBodies(callbacks.sealer);
  const { database } = callbacks;
  const quota = new CallbackQuota(database, 0);
  service = new CallbackService(new CallbackRepository(database), quota, nudges, bodies);
  mine = newContext({ organisationId: await callbacks.organisation() });
  theirs = newContext({ organisationId: await callbacks.organisation() });
});
afterAll(() => callbacks.close());

const record = async (
  type: AirtimeCallback['type'] = 'airtime.success',
  resourceId = newId(),
  { organisationId = '' }: RequestContext = mine,
): Promise<string> => {
  const data = { id: resourceId } as AirtimeCallback['data'];
  const report = { organisationId, resourceId, requestId: 'checkout-4711', url, hasEndpoints: false };
  const [id = ''] = await recordCallbacks(callbacks.database, [
    { ...report, body: { type, timestamp: at, data } },
  ]);
  return id;
};

const end = async (id: string, state: 'delivered' | 'failed' | 'gone', attempt = 10): Promise<void> => {
  await callbacks.database.execute(sql`
    UPDATE callback SET state = ${state}::callback_state, attempt = ${attempt}, next_attempt_at = NULL, ended_at = ${at}
    WHERE id = ${id}`);
};

/** Like a worker that has claimed it. */
const lease = async (id: string): Promise<void> => {
  await callbacks.database.execute(sql`
    UPDATE callback SET attempt = attempt + 1, leased_until = now() + interval '20 s',
      next_attempt_at = now() + interval '20 s' WHERE id = ${id}`);
};

const note = async (id: string, attempt: number, answer: Buffer): Promise<void> => {
  await callbacks.database.execute(sql`
    INSERT INTO callback_attempt (callback_id, attempt, status, answer, started_at, ended_at)
    VALUES (${id}, ${attempt}, 503, ${answer}, ${at}, ${at})`);
};

const rowOf = async (id: string) => {
  const [row] = await callbacks.database.query(sql`
    SELECT state, attempt, earlier_attempts AS earlier, next_attempt_at <= now() AS due, leased_until AS lease,
      ended_at AS ended FROM callback WHERE id = ${id}`);
  return row;
};

describe('a callback', () => {
  it('is returned with its attempts, newest first', async () => {
    const resourceId = newId();
    const id = await record('airtime.failed', resourceId);
    await note(id, 1, Buffer.from('down for maintenance'));
    await callbacks.database.execute(sql`
      INSERT INTO callback_attempt (callback_id, attempt, error, started_at, ended_at)
      VALUES (${id}, 2, 'timeout', ${at}, ${at})`);
    await end(id, 'failed', 2);
    expect(await service.find({ id }, mine)).toEqual({
      id,
      type: 'airtime.failed',
      resource_id: resourceId,
      url,
      status: 'failed',
      attempt_count: 2,
      created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
      ended_datetime: at,
      request_id: 'checkout-4711',
      body: JSON.stringify({ type: 'airtime.failed', timestamp: at, data: { id: resourceId } }),
      attempts: [
        {
          attempt: 2,
          reason: { code: 'timeout', message: 'No complete response in time' },
          error: 'timeout',
          started_datetime: at,
          ended_datetime: at,
        },
        {
          attempt: 1,
          status: 503,
          answer: 'down for maintenance',
          started_datetime: at,
          ended_datetime: at,
        },
      ],
    });
  });

  it('shows the beginning of a response as text, for any bytes', async () => {
    const id = await record();
    await note(id, 1, Buffer.from(`x${'ö'.repeat(9_000)}`));
    await note(id, 2, Buffer.from([0xff, 0x00, 0x41]));
    await note(id, 3, Buffer.alloc(0));
    const [empty, odd, long] = (await service.find({ id }, mine)).attempts;
    expect(long?.answer).toBe(`x${'ö'.repeat(511)}`);
    expect(empty).not.toHaveProperty('answer');
    expect(odd?.answer).toBe('\ufffd\u0000A');
  });

  it('shows its next attempt, but not during an attempt', async () => {
    const id = await record();
    expect(await service.find({ id }, mine)).toMatchObject({ next_attempt_datetime: expect.any(String) });
    await lease(id);
    expect(await service.find({ id }, mine)).not.toHaveProperty('next_attempt_datetime');
  });

  it('is not found for others, nor with an unknown or invalid id', async () => {
    const foreign = await record('airtime.sent', newId(), theirs);
    await end(foreign, 'failed');
    for (const id of [foreign, newId(), 'what', '', `${foreign}\n`, `{${foreign}}`]) {
      const notFound = { status: 404, message: 'The callback was not found' };
      await expect(service.find({ id }, mine)).rejects.toMatchObject(notFound);
      await expect(service.resend({ id }, mine)).rejects.toMatchObject(notFound);
    }
    expect(await rowOf(foreign)).toMatchObject({ state: 'failed' });
    expect(await service.find({ id: foreign.toUpperCase() }, theirs)).toMatchObject({ id: foreign });
  });
});

describe('the list', () => {
  const list = async (wish: ListCallbacksRequest, context = mine): Promise<string[]> =>
    (await service.list(wish, context)).callbacks.map(({ id }) => id);

  it('is filtered by status, type and resource', async () => {
    const context = newContext({ organisationId: await callbacks.organisation() });
    const resource = newId();
    const sent = await record('airtime.sent', resource, context);
    const success = await record('airtime.success', resource, context);
    const other = await record('airtime.success', newId(), context);
    await end(sent, 'delivered');
    await end(other, 'gone');
    expect(await list({}, context)).toEqual([other, success, sent]);
    expect(await list({ status: 'pending' }, context)).toEqual([success]);
    expect(await list({ status: 'delivered' }, context)).toEqual([sent]);
    expect(await list({ status: 'gone' }, context)).toEqual([other]);
    expect(await list({ status: 'failed' }, context)).toEqual([]);
    expect(await list({ type: 'airtime.success' }, context)).toEqual([other, success]);
    expect(await list({ resource_id: resource }, context)).toEqual([success, sent]);
    const all = { type: 'airtime.success', resource_id: resource, status: 'pending', limit: 1 } as const;
    expect(await list(all, context)).toEqual([success]);
    expect(await list({ resource_id: resource }, theirs)).toEqual([]);
  });

  it('is paged without gaps', async () => {
    const context = newContext({ organisationId: await callbacks.organisation() });
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) ids.unshift(await record('airtime.sent', newId(), context));
    const seen: string[][] = [];
    for (let before: { before?: string } | undefined = {}; before;) {
      const page: CallbackPage = await service.list({ limit: 3, ...before }, context);
      seen.push(page.callbacks.map(({ id }) => id));
      const { next } = page.meta.pagination;
      before = next === undefined ? undefined : { before: next };
    }
    expect(seen).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });
});

describe('resending', () => {
  it.each(['delivered', 'failed', 'gone'] as const)(
    'makes a callback that is %s due again',
    async (state) => {
      const id = await record();
      await end(id, state);
      const answer = await service.resend({ id }, mine);
      expect(answer).toMatchObject({ id, status: 'pending', attempt_count: 10 });
      expect(answer).not.toHaveProperty('ended_datetime');
      expect(await rowOf(id)).toEqual({
        state: 'pending',
        attempt: 10,
        earlier: 10,
        due: true,
        lease: null,
        ended: null,
      });
      expect(announced).toContain(id);
    },
  );

  it('makes a waiting callback due now', async () => {
    const id = await record();
    await callbacks.database.execute(sql`
      UPDATE callback SET attempt = 3, next_attempt_at = now() + interval '2 hours' WHERE id = ${id}`);
    await service.resend({ id }, mine);
    expect(await rowOf(id)).toMatchObject({ state: 'pending', attempt: 3, earlier: 3, due: true });
  });

  it('keeps an attempt in flight and restarts the schedule with it', async () => {
    const id = await record();
    await lease(id);
    const before = await rowOf(id);
    expect(await service.resend({ id }, mine)).toMatchObject({ attempt_count: 1, attempts: [] });
    expect(await rowOf(id)).toEqual({ ...before, attempt: 1, earlier: 0 });
  });

  it('closes the circuit of the host', async () => {
    const context = newContext({ organisationId: await callbacks.organisation() });
    const { organisationId } = context;
    const id = await record('airtime.sent', newId(), context);
    await callbacks.database.execute(sql`
      INSERT INTO callback_host (organisation_id, host, pace_ms, failures, open_until)
      VALUES (${organisationId}, 'example.com', 5, 7, now() + interval '5 minutes'),
             (${organisationId}, 'example.org', 5, 7, now() + interval '5 minutes')`);
    await service.resend({ id }, context);
    const hosts = await callbacks.database.query(sql`
      SELECT host, failures FROM callback_host WHERE organisation_id = ${organisationId} AND open_until > now()`);
    expect(hosts).toEqual([{ host: 'example.org', failures: 7 }]);
  });
});
