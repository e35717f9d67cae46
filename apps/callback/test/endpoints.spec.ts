import {
  type ChangeEndpointFields,
  type CreateEndpointRequest,
  defaultEndpointEvents,
  formatTimestamp,
  maxEndpoints,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { firstIdAt, newContext, newId, type RequestContext } from '@gangan/protocol';
import { aWaitingCallback, CallbackConsumer, type SeenCallback, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { CallbackService } from '../src/callback.service.js';
import { BalanceThresholdService } from '../src/endpoints/balance-threshold.service.js';
import { EndpointCallbacksRepository } from '../src/endpoints/endpoint-callbacks.repository.js';
import { EndpointCallbacksService } from '../src/endpoints/endpoint-callbacks.service.js';
import { EndpointsService } from '../src/endpoints/endpoints.service.js';
import { OffEndpoints } from '../src/retention/off-endpoints.js';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let worker: INestApplicationContext;
let service: EndpointsService;
let organisationId: string;
let consumer: CallbackConsumer;

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  worker = await callbacks.worker();
  service = worker.get(EndpointsService);
});
beforeEach(async () => {
  organisationId = await callbacks.organisation();
  consumer = await CallbackConsumer.start((_request, response) => response.end());
});
afterEach(() => consumer.stop());
afterAll(() => callbacks.close());

/** A request of the organisation. */
const asked = (owner = organisationId): RequestContext => newContext({ organisationId: owner });
const url = 'https://example.com/events';
const consumerUrl = (path = ''): string => `http://localhost:${consumer.port}/${path}`;

/** With a key that has the scope `sms:read`. */
const create = (fields: CreateEndpointRequest, context: RequestContext) =>
  service.create(Object.assign({ reads_messages: true }, fields), context);
const change = (fields: ChangeEndpointFields & { readonly id: string }, context: RequestContext) =>
  service.change(Object.assign({ reads_messages: true }, fields), context);

const isSignedWith = (secret: string, { body, headers }: SeenCallback): boolean => {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
};

const sending = (): EndpointCallbacksService => worker.get(EndpointCallbacksService);
const ended = (id: string) => until('it ends', async () => (await callbacks.stored(id)).state !== 'pending');

/** Stores that the host of the consumer is failing, with a circuit that is open for so many minutes. */
const addHost = (openMinutes: number) =>
  callbacks.database.execute(sql`
    INSERT INTO callback_host (organisation_id, host, pace_ms, failures, open_until, failing_since, reported_at)
    VALUES (${organisationId}::uuid, ${`localhost:${consumer.port}`}, 5, 9,
      now() + ${openMinutes}::int * interval '1 minute', now() - interval '2 hours', now() - interval '1 hour')`);
const hosts = () => callbacks.database.callbackHost.findMany({ where: { organisationId } });

/** Records an event for the endpoints and waits until the callbacks have ended. */
async function report(): Promise<string[]> {
  const ids = await callbacks.record(organisationId, null);
  callbacks.announce(worker, ids);
  await until('the callbacks end', async () => {
    const rows = await callbacks.database.callback.findMany({ where: { id: { in: ids } } });
    return rows.every(({ state }) => state !== 'pending');
  });
  return ids;
}

describe('an endpoint', () => {
  it('is created with a secret that is shown once', async () => {
    const context = asked();
    const created = await create({ url, description: 'Shop' }, context);
    const { secret, ...endpoint } = created;
    expect(endpoint).toEqual({
      id: context.operationId,
      url,
      events: [...defaultEndpointEvents],
      description: 'Shop',
      enabled: true,
      created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/),
    });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(await service.find(endpoint, asked())).toEqual(endpoint);
    expect(await service.list(asked())).toEqual({
      endpoints: [endpoint],
      meta: { method: 'GET', resource: '/callback-endpoints' },
    });
    const [row] = await callbacks.database.query<{ row: string }>(sql`
      SELECT row::text AS row FROM callback_endpoint_secret AS row WHERE endpoint_id = ${endpoint.id}`);
    expect(row?.row).not.toContain(secret);
    expect(row?.row).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it('is created once if the queue runs the request twice', async () => {
    const context = asked();
    const created = await create({ url }, context);
    expect(await create({ url }, context)).toEqual(created);
  });

  it('is changed in part', async () => {
    const { id } = await create({ url, description: 'Shop', events: ['message.sent'] }, asked());
    const changed = await change({ id, enabled: false }, asked());
    expect(changed).toMatchObject({ url, events: ['message.sent'], description: 'Shop', enabled: false });
    const events = ['airtime.sent', 'airtime.sent', 'airtime.failed'] as const;
    const again = await change({ id, events: [...events], description: '' }, asked());
    expect(again).toMatchObject({ events: ['airtime.sent', 'airtime.failed'], enabled: false });
    expect(again).not.toHaveProperty('description');
    expect(again).toHaveProperty('updated_datetime');
  });

  describe('of a key without the scope sms:read', () => {
    const refusal = { status: 403, code: 'out_of_scope', message: expect.stringContaining('sms:read') };
    const withoutScope = { reads_messages: false };
    const isConfirmed = async (id: string): Promise<boolean | undefined> =>
      (await callbacks.database.callbackEndpoint.findUnique({ where: { id } }))?.messagesConfirmed;

    it('does not receive message.received', async () => {
      const created = await service.create({ url, ...withoutScope }, asked());
      expect(created.events).toEqual(defaultEndpointEvents.filter((type) => type !== 'message.received'));
      const wanted = { ...withoutScope, events: ['message.received', 'message.sent'] as const };
      const events = [...wanted.events];
      await expect(service.create({ url, ...wanted, events }, asked())).rejects.toMatchObject(refusal);
      const { id } = created;
      await expect(service.change({ id, ...wanted, events }, asked())).rejects.toMatchObject(refusal);
      expect((await service.find({ id }, asked())).events).toEqual(created.events);
    });

    it('keeps what it receives, but not with another URL', async () => {
      const { id } = await create({ url }, asked());
      const fields = { id, ...withoutScope };
      const kept = await service.change({ ...fields, description: 'Shop', enabled: false }, asked());
      expect(kept.events).toContain('message.received');
      const moved = { ...fields, url: 'https://example.com/other' };
      await expect(service.change(moved, asked())).rejects.toMatchObject(refusal);
      expect((await service.find({ id }, asked())).url).toBe(url);
      expect(await isConfirmed(id)).toBe(true);
      const changed = await service.change({ ...moved, events: ['message.sent'] }, asked());
      expect(changed).toMatchObject({ url: moved.url, events: ['message.sent'] });
      expect(await service.change({ ...fields, url }, asked())).toMatchObject({ url });
      expect(await isConfirmed(id)).toBe(false);
      await change({ id, events: ['message.received'] }, asked());
      expect(await isConfirmed(id)).toBe(true);
    });
  });

  it('is found, changed and deleted only by its organisation', async () => {
    const { id } = await create({ url }, asked());
    const endpoint = await service.find({ id }, asked());
    const theirs = asked(await callbacks.organisation());
    for (const request of [{ id }, { id: newId() }, { id: 'what' }]) {
      const notFound = { status: 404, message: 'The endpoint was not found' };
      await expect(service.find(request, theirs)).rejects.toMatchObject(notFound);
      await expect(change({ ...request, enabled: false }, theirs)).rejects.toMatchObject(notFound);
      await expect(service.remove(request, theirs)).rejects.toMatchObject(notFound);
    }
    expect((await service.list(theirs)).endpoints).toEqual([]);
    expect(await service.remove({ id }, asked())).toEqual(endpoint);
    await expect(service.find({ id }, asked())).rejects.toMatchObject({ status: 404 });
    expect(await callbacks.database.callbackEndpointSecret.count({ where: { endpointId: id } })).toBe(0);
  });

  it('is rejected beyond the limit, also for concurrent requests', async () => {
    const created = await Promise.allSettled(
      Array.from({ length: maxEndpoints + 5 }, () => create({ url }, asked())),
    );
    const rejected = created.filter((one) => one.status === 'rejected');
    expect(rejected).toHaveLength(5);
    for (const { reason } of rejected) expect(reason).toMatchObject({ status: 403, code: 'quota_exceeded' });
    expect((await service.list(asked())).endpoints).toHaveLength(maxEndpoints);
  });
});

describe('the secret of an endpoint', () => {
  const seenSignatures = (): string[] =>
    String(consumer.seen.at(-1)?.headers['webhook-signature']).split(' ');

  it('is rotated with an overlap, in which at most two secrets sign', async () => {
    const { id, secret: first } = await create({ url: consumerUrl() }, asked());
    const context = asked();
    const { secret: second, previous_secret_until: until } = await service.rotateSecret({ id }, context);
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
    const hours = (Date.parse(until) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    await report();
    expect(seenSignatures()).toHaveLength(2);
    expect([first, second].map((secret) => isSigned(secret))).toEqual([true, true]);
    // The queue runs the request again.
    expect(await service.rotateSecret({ id }, context)).toEqual({
      id,
      secret: second,
      previous_secret_until: until,
    });
    const { secret: third } = await service.rotateSecret({ id, overlap_hours: 1 }, asked());
    await report();
    expect([first, second, third].map((secret) => isSigned(secret))).toEqual([false, true, true]);
    const { secret: last } = await service.rotateSecret({ id, overlap_hours: 0 }, asked());
    await report();
    expect(seenSignatures()).toHaveLength(1);
    expect(isSigned(last)).toBe(true);
  });

  it('is not rotated by others, and leaves few rows', async () => {
    const { id } = await create({ url }, asked());
    const theirs = asked(await callbacks.organisation());
    await expect(service.rotateSecret({ id }, theirs)).rejects.toMatchObject({ status: 404 });
    for (let count = 0; count < 15; count++) await service.rotateSecret({ id, overlap_hours: 0 }, asked());
    const rows = await callbacks.database.callbackEndpointSecret.findMany({ where: { endpointId: id } });
    expect(rows).toHaveLength(10);
    expect(rows.filter(({ retiresAt }) => retiresAt === null)).toHaveLength(1);
  });

  const isSigned = (secret: string): boolean => {
    const seen = consumer.seen.at(-1);
    return seen !== undefined && isSignedWith(secret, seen);
  };
});

describe('the threshold of the balance', () => {
  const thresholds = (): BalanceThresholdService => worker.get(BalanceThresholdService);

  it('is set in naira, removed with 0, and belongs to one organisation', async () => {
    const theirs = asked(await callbacks.organisation());
    expect(await thresholds().find(asked())).toEqual({ threshold: 0 });
    expect(await thresholds().change({ threshold: 5_000 }, asked())).toEqual({ threshold: 5_000 });
    expect(await thresholds().find(asked())).toEqual({ threshold: 5_000 });
    expect(await thresholds().find(theirs)).toEqual({ threshold: 0 });
    const wallets = await callbacks.database.ledgerAccount.findMany({
      where: { lowBalanceKobo: { not: null } },
    });
    expect(wallets).toMatchObject([{ organisationId, kind: 'wallet', lowBalanceKobo: 500_000n }]);
    await thresholds().change({ threshold: 0 }, asked());
    expect(await thresholds().find(asked())).toEqual({ threshold: 0 });
  });
});

describe('a test of an endpoint', () => {
  it('is sent like any other callback, and its result can be read', async () => {
    const { id, secret } = await create({ url: consumerUrl(), events: ['airtime.error'] }, asked());
    const context = asked();
    const sent = await sending().test({ id }, context);
    expect(sent).toMatchObject({
      id: context.operationId,
      type: 'endpoint.test',
      endpoint_id: id,
      status: 'pending',
    });
    await ended(sent.id);
    const found = await worker.get(CallbackService).find({ id: sent.id }, asked());
    expect(found).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
    const [seen] = consumer.seen;
    expect(seen && isSignedWith(secret, seen)).toBe(true);
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      type: 'endpoint.test',
      timestamp: expect.any(String),
      data: { endpoint_id: id, message: expect.any(String) },
    });
    // The queue runs the request again.
    expect(await sending().test({ id }, context)).toMatchObject({ id: sent.id });
    expect(await callbacks.stored(sent.id)).toMatchObject({ state: 'delivered', attempt: 1 });
    expect(consumer.seen).toHaveLength(1);
  });

  it('is rejected for a disabled endpoint or an endpoint of another organisation', async () => {
    const { id } = await create({ url, enabled: false }, asked());
    await expect(sending().test({ id }, asked())).rejects.toMatchObject({ status: 409 });
    const theirs = asked(await callbacks.organisation());
    await expect(sending().test({ id }, theirs)).rejects.toMatchObject({ status: 404 });
  });
});

describe('recovering a period', () => {
  const hourAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
  /** A callback of this age that has ended. */
  const past = async (hours: number, state: 'delivered' | 'failed' | 'gone' = 'failed'): Promise<string> => {
    const [id = ''] = await callbacks.record(organisationId, null);
    const aged = firstIdAt(hourAgo(hours)).slice(0, 24) + id.slice(24);
    await callbacks.database.execute(sql`
      UPDATE callback SET id = ${aged}::uuid, created_at = ${hourAgo(hours)}, state = ${state}::callback_state,
        ended_at = now(), next_attempt_at = NULL, attempt = 10, url = 'http://127.0.0.1:1/', host = '127.0.0.1:1'
      WHERE id = ${id}::uuid`);
    return aged;
  };
  const from = (hours: number): string => formatTimestamp(hourAgo(hours));

  it('sends its callbacks again with their ids, also those that were delivered, to the current URL', async () => {
    const { id } = await create({ url: consumerUrl('new') }, asked());
    const [early, failed, delivered, gone, late] = [
      await past(9),
      await past(5),
      await past(4, 'delivered'),
      await past(3, 'gone'),
      await past(1),
    ];
    expect(await sending().recover({ id, from: from(6), to: from(2) }, asked())).toEqual({ recovered: 3 });
    for (const sent of [failed, delivered, gone]) await ended(sent);
    expect(consumer.seen.map(({ headers }) => String(headers['webhook-id'])).toSorted()).toEqual(
      [failed, delivered, gone].toSorted(),
    );
    for (const other of [early, late])
      expect(await callbacks.stored(other)).toMatchObject({ state: 'failed', attempt: 10 });
    expect(await callbacks.stored(failed)).toMatchObject({ state: 'delivered', attempt: 11 });
  });

  it('sends only those with a status, in parts', async () => {
    const { id } = await create({ url: consumerUrl() }, asked());
    const failed = [await past(5), await past(4), await past(3)];
    await past(4, 'delivered');
    const repository = worker.get(EndpointCallbacksRepository);
    const endpoint = { id, organisationId };
    const period = { endpoint, from: hourAgo(6), to: new Date(), status: 'failed' as const };
    const size = { maxSlices: 1, sliceSize: 2 };
    const first = await repository.recover(period, undefined, size);
    expect(first.next).toBeDefined();
    const second = await repository.recover(period, first.next, size);
    const third = await repository.recover(period, second.next, size);
    expect(third.next).toBeUndefined();
    expect(first.recovered + second.recovered + third.recovered).toBe(3);
    for (const sent of failed)
      await until('it is sent', async () => (await callbacks.stored(sent)).attempt > 10);
  });

  it('closes the circuit of the host', async () => {
    const { id } = await create({ url: consumerUrl() }, asked());
    const failed = await past(1);
    await addHost(5);
    expect(await sending().recover({ id, from: from(2) }, asked())).toEqual({ recovered: 1 });
    await ended(failed);
    expect(await callbacks.stored(failed)).toMatchObject({ state: 'delivered' });
  });

  it('skips callbacks that are due, and closes the circuit of their host', async () => {
    const { id } = await create({ url: consumerUrl() }, asked());
    await addHost(5);
    const [waiting = ''] = await callbacks.record(organisationId, null);
    const period = { endpoint: { id, organisationId }, from: hourAgo(1), to: hourAgo(-1), status: undefined };
    const { recovered } = await worker.get(EndpointCallbacksRepository).recover(period);
    expect(recovered).toBe(0);
    expect(await sending().recover({ id, from: from(1) }, asked())).toEqual({ recovered: 0 });
    await ended(waiting);
    expect(await callbacks.stored(waiting)).toMatchObject({ state: 'delivered', attempt: 1 });
  });

  it('rejects a period before the retention, an empty one, and other organisations', async () => {
    const { id } = await create({ url }, asked());
    const recover = (fields: { from: string; to?: string; after?: string }, context = asked()) =>
      sending().recover({ id, ...fields }, context);
    const invalid = (field: string) => ({ status: 400, fields: [{ field }] });
    await expect(recover({ from: from(31 * 24) })).rejects.toMatchObject(invalid('from'));
    await expect(recover({ from: from(1), to: from(2) })).rejects.toMatchObject(invalid('to'));
    await expect(recover({ from: from(1), after: 'x' })).rejects.toMatchObject(invalid('after'));
    const theirs = asked(await callbacks.organisation());
    await expect(recover({ from: from(1) }, theirs)).rejects.toMatchObject({ status: 404 });
    await change({ id, enabled: false }, asked());
    await expect(recover({ from: from(1) })).rejects.toMatchObject({ status: 409 });
  });

  it('is rejected while too many callbacks wait', async () => {
    const { id } = await create({ url }, asked());
    await aWaitingCallback(callbacks.database, organisationId);
    await callbacks.database.organisation.update({
      where: { id: organisationId },
      data: { waitingCallbacks: 1 },
    });
    const rejected = {
      status: 429,
      code: 'too_many_callbacks',
      retryAfter: 60,
      message: expect.stringMatching(/nothing was sent\. Retry after 60 s/),
      fields: [
        { field: 'id', message: expect.stringMatching(/^The limit waiting_callbacks is 1\..*[Rr]epair/) },
      ],
    };
    await expect(sending().recover({ id, from: from(1) }, asked())).rejects.toMatchObject(rejected);
    await expect(sending().test({ id }, asked())).rejects.toMatchObject(rejected);
    const error = await sending()
      .test({ id }, asked())
      .catch((reason: unknown) => reason);
    expect(JSON.stringify(error)).not.toContain('without callback');
  });
});

describe('the callbacks of endpoints', () => {
  const turnOff = (id: string, what: 'disabled' | 'deleted') =>
    what === 'deleted' ? service.remove({ id }, asked()) : change({ id, enabled: false }, asked());
  /** Records events for the endpoints that are due in an hour. */
  const recordLater = (count = 1): Promise<string[]> =>
    callbacks.database.transaction(async (transaction) => {
      const ids = await callbacks.record(organisationId, null, count, transaction);
      await transaction.execute(sql`
        UPDATE callback SET next_attempt_at = now() + interval '1 hour' WHERE id = ANY (${ids}::uuid[])`);
      return ids;
    });

  it('have an id each and are signed with the secret of their endpoint', async () => {
    const [first, second] = [
      await create({ url: consumerUrl('1') }, asked()),
      await create({ url: consumerUrl('2') }, asked()),
    ];
    const ids = await report();
    expect(ids).toHaveLength(2);
    expect(consumer.seen.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
    const [organisationSecret = ''] = await callbacks.secretsOf(organisationId);
    for (const seen of consumer.seen) {
      const row = await callbacks.database.callback.findUniqueOrThrow({
        where: { id: String(seen.headers['webhook-id']) },
      });
      const [own, other] = row.endpointId === first.id ? [first, second] : [second, first];
      expect(row).toMatchObject({ state: 'delivered', endpointId: own.id, url: own.url });
      expect([own, other].map(({ secret }) => isSignedWith(secret, seen))).toEqual([true, false]);
      expect(isSignedWith(organisationSecret, seen)).toBe(false);
    }
  });

  it.each(['disabled', 'deleted'] as const)('that wait are not sent once it is %s', async (what) => {
    const { id: endpoint } = await create({ url: consumerUrl() }, asked());
    // Its circuit was open, so that the next attempt tests it.
    await addHost(-1);
    const before = await hosts();
    // Not due before the endpoint is off.
    const [id = ''] = await recordLater();
    await turnOff(endpoint, what);
    await callbacks.hurry([id]);
    callbacks.announce(worker, [id]);
    await until('it ends', async () => (await callbacks.stored(id)).state === 'failed');
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ attempt: 1, error: 'endpoint_off' }]);
    expect(consumer.seen).toEqual([]);
    expect(await hosts()).toEqual(before);
    expect(await callbacks.record(organisationId, null)).toEqual([]);
  });

  it.each(['disabled', 'deleted'] as const)('end soon once it is %s, also those due later', async (what) => {
    const { id: off } = await create({ url: consumerUrl() }, asked());
    const { id: on } = await create({ url: consumerUrl() }, asked());
    await addHost(5);
    const before = await hosts();
    const ids = [...(await recordLater(600)), ...(await callbacks.record(organisationId, null))];
    const [leased] = await callbacks.database.query<{ id: string }>(sql`
      UPDATE callback SET leased_until = now() + interval '1 hour', next_attempt_at = now() + interval '1 hour'
      WHERE id = (SELECT id FROM callback WHERE endpoint_id = ${off}::uuid LIMIT 1) RETURNING id`);
    await turnOff(off, what);
    await until('all but the one in flight end', async () => {
      await worker.get(OffEndpoints).endPending();
      const where = { endpointId: off, state: 'pending' as const };
      return (await callbacks.database.callback.count({ where })) === 1;
    });
    const rows = await callbacks.database.callback.findMany({ where: { organisationId } });
    expect(rows).toHaveLength(ids.length);
    for (const { id, endpointId, state, attempt, nextAttemptAt } of rows) {
      const waits = endpointId === on || id === leased?.id;
      expect({ state, attempt }).toEqual(
        waits ? { state: 'pending', attempt: 0 } : { state: 'failed', attempt: 1 },
      );
      expect(nextAttemptAt === null).toBe(!waits);
    }
    const [failed] = rows.filter(({ state }) => state === 'failed');
    expect(await callbacks.attemptsOf(failed?.id ?? '')).toMatchObject([
      { attempt: 1, error: 'endpoint_off' },
    ]);
    expect(await hosts()).toEqual(before);
    expect(consumer.seen).toEqual([]);
  });

  it('that wait are sent to a new URL', async () => {
    const { id: endpoint } = await create({ url: 'http://127.0.0.1:1/' }, asked());
    const [id = ''] = await callbacks.record(organisationId, null);
    callbacks.announce(worker, [id]);
    await until('an attempt fails', async () => (await callbacks.attemptsOf(id)).length > 0);
    await change({ id: endpoint, url: consumerUrl('new') }, asked());
    await callbacks.hurry([id]);
    callbacks.announce(worker, [id]);
    await until('it is delivered', async () => (await callbacks.stored(id)).state === 'delivered');
    expect(await callbacks.database.callback.findUnique({ where: { id } })).toMatchObject({
      url: consumerUrl('new'),
    });
  });

  const oldHost = '127.0.0.1:1';
  const openCircuit = (host: string) =>
    callbacks.database.execute(sql`
      INSERT INTO callback_host (organisation_id, host, pace_ms, failures, open_until)
      VALUES (${organisationId}::uuid, ${host}, 5, 9, now() + interval '5 minutes')`);
  const hostOfRow = async (id: string) =>
    (await callbacks.database.callback.findUniqueOrThrow({ where: { id } })).host;

  it('that wait for a host whose circuit is open are sent to a new host at once', async () => {
    const { id: endpoint } = await create({ url: `http://${oldHost}/` }, asked());
    await openCircuit(oldHost);
    const ids = [...(await callbacks.record(organisationId, null, 3)), ...(await recordLater())];
    await change({ id: endpoint, url: consumerUrl('new') }, asked());
    for (const id of ids.slice(0, 3)) await ended(id);
    for (const id of ids) expect(await hostOfRow(id)).toBe(`localhost:${consumer.port}`);
    expect(consumer.seen).toHaveLength(3);
    const [host] = await callbacks.database.callbackHost.findMany({
      where: { organisationId, host: oldHost },
    });
    expect(host).toMatchObject({ failures: 9, openUntil: expect.any(Date) });
  });

  it('that were recorded for an earlier host respect the circuit of the new one', async () => {
    const { id: endpoint } = await create({ url: `http://${oldHost}/` }, asked());
    await openCircuit(`localhost:${consumer.port}`);
    const ids = await recordLater(3);
    await change({ id: endpoint, url: consumerUrl('new') }, asked());
    // As if they had been recorded by a transaction that did not see the change.
    await callbacks.database.execute(sql`
      UPDATE callback SET host = ${oldHost}, next_attempt_at = ${dueNow} WHERE id = ANY (${ids}::uuid[])`);
    callbacks.announce(worker, ids);
    for (const id of ids)
      await until('it moves', async () => (await hostOfRow(id)) === `localhost:${consumer.port}`);
    for (const id of ids) expect(await callbacks.stored(id)).toMatchObject({ state: 'pending', attempt: 0 });
    expect(consumer.seen).toEqual([]);
    expect(await callbacks.database.callbackHost.count({ where: { organisationId } })).toBe(1);
  });

  it('whose attempt fails while the URL changes go on with the new host', async () => {
    const answers: (() => void)[] = [];
    const old = await CallbackConsumer.start((_request, response) => {
      answers.push(() => response.writeHead(500).end());
    });
    const { id: endpoint } = await create({ url: `http://localhost:${old.port}/` }, asked());
    const [id = ''] = await callbacks.record(organisationId, null);
    callbacks.announce(worker, [id]);
    await until('an attempt is in flight', () => answers.length > 0);
    await change({ id: endpoint, url: consumerUrl('new') }, asked());
    answers[0]?.();
    await until('the attempt ends', async () => (await callbacks.attemptsOf(id)).length > 0);
    expect(await hostOfRow(id)).toBe(`localhost:${consumer.port}`);
    expect(await callbacks.database.callbackHost.findMany({ where: { organisationId } })).toMatchObject([
      { host: `localhost:${old.port}`, failures: 1 },
    ]);
    await old.stop();
  });
});
