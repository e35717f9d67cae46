import type { RequestListener } from 'node:http';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { CallbackConsumer, makeCertificate, type SeenCallback, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { AttemptRepository, breaker } from '../src/attempts/attempt.repository.js';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let worker: INestApplicationContext;
let organisation: string;
const consumers: CallbackConsumer[] = [];

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  worker = await callbacks.worker({ CALLBACK_TIMEOUT_MS: 400 });
  organisation = await callbacks.organisation();
});
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.stop();
});
afterAll(() => callbacks.close());

/** A consumer with this response, and a callback to it. */
async function meet(answer: RequestListener, tls?: Parameters<typeof CallbackConsumer.start>[1]) {
  const consumer = await CallbackConsumer.start(answer, tls);
  consumers.push(consumer);
  const url = `${tls ? 'https' : 'http'}://localhost:${consumer.port}/hook?of=x`;
  const [id = ''] = await callbacks.record(organisation, url);
  return { consumer, id };
}

/** Makes the next attempt and waits for its end. */
async function attempt(id: string): Promise<void> {
  const { attempt: made } = await callbacks.stored(id);
  await callbacks.hurry([id]);
  callbacks.announce(worker, [id]);
  await until('the attempt ends', async () => {
    const { attempt: now, leased } = await callbacks.stored(id);
    return now > made && !leased;
  });
}

/** Stores that this attempt got 200 or 500. */
function end(id: string, host: string, { made = 1, status = 200 } = {}) {
  const outcome =
    status === 200
      ? ({ state: 'delivered', hostWorks: true } as const)
      : ({ state: 'pending', retryInMs: 3_600_000, hostWorks: false } as const);
  return worker.get(AttemptRepository).endAttempt({
    callback: {
      id,
      organisationId: organisation,
      host,
      url: '',
      body: '',
      requestId: '',
      attempt: made,
      earlierAttempts: 0,
      endpointId: null,
      sealedBody: null,
      isEndpointOff: false,
      isRestricted: false,
      secrets: [],
    },
    result: { outcome: 'answered', status, body: Buffer.alloc(0) },
    outcome,
    outcomeAsFirst: outcome,
    startedAt: new Date(),
    endedAt: new Date(),
  });
}

const verified = (secret: string, { headers, body }: SeenCallback): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('a callback', () => {
  it('is signed and delivered once', async () => {
    const { consumer, id } = await meet((_request, response) => response.end('thanks'));
    await attempt(id);
    const [secret = ''] = await callbacks.secretsOf(organisation);
    const [seen] = consumer.seen;
    expect(consumer.seen).toHaveLength(1);
    expect(seen && verified(secret, seen)).toMatchObject({ type: 'airtime.success' });
    expect(seen).toMatchObject({
      path: '/hook?of=x',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'x-request-id': expect.stringContaining('request-of-'),
      },
    });
    expect(await callbacks.stored(id)).toEqual({
      state: 'delivered',
      attempt: 1,
      leased: false,
      inSeconds: null,
    });
    expect(await callbacks.attemptsOf(id)).toEqual([
      { attempt: 1, status: 200, error: null, answerBytes: 6 },
    ]);
    callbacks.announce(worker, [id, id]);
    const { id: other } = await meet((_request, response) => response.end());
    await attempt(other);
    expect(consumer.seen).toHaveLength(1);
  });

  it('is retried with the same id and body, signed with every active secret', async () => {
    let calls = 0;
    const { consumer, id } = await meet((_request, response) =>
      response.writeHead(calls++ === 0 ? 500 : 200).end(),
    );
    await attempt(id);
    expect(await callbacks.stored(id)).toMatchObject({ state: 'pending', attempt: 1, leased: false });
    await callbacks.rotateSecret(organisation, new Date(Date.now() + 60_000));
    await attempt(id);
    expect(await callbacks.stored(id)).toMatchObject({ state: 'delivered', attempt: 2 });
    const [first, second] = consumer.seen;
    const secrets = await callbacks.secretsOf(organisation);
    expect(secrets).toHaveLength(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(id);
    for (const secret of secrets) expect(second && verified(secret, second)).toBeDefined();
    expect(() => first && verified(secrets[1] ?? '', first)).toThrow('No matching signature');
  });

  it.each<[string, RequestListener, object]>([
    [
      '301',
      (_request, response) => response.writeHead(301, { location: '/elsewhere' }).end(),
      { status: 301 },
    ],
    ['404', (_request, response) => response.writeHead(404).end('no'), { status: 404, answerBytes: 2 }],
    ['503', (_request, response) => response.writeHead(503).end(), { status: 503 }],
    ['a broken connection', (request) => request.socket.destroy(), { status: null, error: 'reset' }],
    ['nothing', () => undefined, { status: null, error: 'timeout' }],
    [
      'a byte now and then',
      (request, response) => {
        const drip = setInterval(() => response.write('x'), 30);
        request.socket.once('close', () => {
          clearInterval(drip);
        });
      },
      { status: null, error: 'timeout' },
    ],
  ])('is retried after five seconds if the response is %s', async (_what, answer, noted) => {
    const { consumer, id } = await meet(answer);
    await attempt(id);
    expect(consumer.seen).toHaveLength(1);
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ attempt: 1, ...noted }]);
    const { state, inSeconds } = await callbacks.stored(id);
    expect(state).toBe('pending');
    expect(inSeconds).toBeGreaterThanOrEqual(4);
    expect(inSeconds).toBeLessThan(7);
  });

  it('is delivered if the response has 1 MB, and its beginning is stored', async () => {
    const { id } = await meet((_request, response) =>
      response.on('error', () => undefined).end('x'.repeat(1_000_000)),
    );
    await attempt(id);
    expect(await callbacks.stored(id)).toMatchObject({ state: 'delivered' });
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ status: 200, answerBytes: 16_384 }]);
  });

  it('is not retried after 410', async () => {
    const { id } = await meet((_request, response) => response.writeHead(410).end());
    await attempt(id);
    expect(await callbacks.stored(id)).toMatchObject({ state: 'gone', inSeconds: null });
  });

  it('waits after 429 as requested, up to twice the planned delay', async () => {
    const { id } = await meet((_request, response) =>
      response.writeHead(429, { 'retry-after': '3600' }).end(),
    );
    await attempt(id);
    const { state, inSeconds } = await callbacks.stored(id);
    expect(state).toBe('pending');
    expect(inSeconds).toBeGreaterThan(9);
    expect(inSeconds).toBeLessThan(11);
  });

  it('is not sent to a host with an untrusted certificate', async () => {
    const { consumer, id } = await meet(
      (_request, response) => response.end(),
      makeCertificate({ name: 'localhost' }),
    );
    await attempt(id);
    expect(consumer.seen).toEqual([]);
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ status: null, error: 'tls' }]);
  });

  it('fails after the tenth attempt, and starts again when it is resent', async () => {
    const { id } = await meet((_request, response) => response.writeHead(404).end());
    await callbacks.database.execute(sql`UPDATE callback SET attempt = 8 WHERE id = ${id}`);
    await attempt(id);
    const { state, inSeconds } = await callbacks.stored(id);
    expect(state).toBe('pending');
    expect(inSeconds).toBeGreaterThan(15 * 3_600);
    await attempt(id);
    expect(await callbacks.stored(id)).toMatchObject({ state: 'failed', attempt: 10, inSeconds: null });
    expect(callbacks.log.lines).toContainEqual(
      expect.objectContaining({ details: expect.objectContaining({ callback: id, result: 404 }) }),
    );
    await callbacks.database.execute(sql`
      UPDATE callback SET state = 'pending', ended_at = NULL, next_attempt_at = ${dueNow}, earlier_attempts = attempt
      WHERE id = ${id}`);
    await attempt(id);
    const again = await callbacks.stored(id);
    expect(again).toMatchObject({ state: 'pending', attempt: 11 });
    expect(again.inSeconds).toBeLessThan(7);
  });

  it('is found by the sweeper if it is not announced', async () => {
    const { consumer, id } = await meet((_request, response) => response.end());
    await until('the callback is delivered', async () => (await callbacks.stored(id)).state === 'delivered');
    expect(consumer.seen).toHaveLength(1);
  });

  it('of a dead worker is claimed when its lease has expired, and the lost attempt is stored', async () => {
    const { consumer, id } = await meet((_request, response) => response.end());
    await callbacks.database.execute(sql`
      UPDATE callback SET attempt = 1, leased_until = now() - interval '1 second', next_attempt_at = ${dueNow}
      WHERE id = ${id}`);
    await until('the callback is delivered', async () => (await callbacks.stored(id)).state === 'delivered');
    expect(consumer.seen).toHaveLength(1);
    expect(await callbacks.attemptsOf(id)).toMatchObject([
      { attempt: 1, error: 'interrupted' },
      { attempt: 2, status: 200 },
    ]);
  });

  it('is not changed by a worker that lost its claim', async () => {
    const { id } = await meet((_request, response) => response.writeHead(500).end());
    await attempt(id);
    const endOf = (made: number) => end(id, 'late.example', { made });
    expect(await endOf(1)).toBeUndefined();
    await callbacks.database.execute(sql`
      UPDATE callback SET attempt = 2, leased_until = now() + interval '1 hour',
        next_attempt_at = now() + interval '1 hour'
      WHERE id = ${id}`);
    expect(await endOf(1)).toBeUndefined();
    expect(await callbacks.stored(id)).toMatchObject({ state: 'pending', attempt: 2, leased: true });
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ attempt: 1, status: 500 }]);
    expect(await endOf(2)).toBeDefined();
    expect(await callbacks.stored(id)).toMatchObject({ state: 'delivered' });
  });

  /** Callbacks to these hosts whose first attempt is in flight. In one transaction: the sweeper must not claim them first. */
  const claimed = (hosts: readonly string[]): Promise<string[]> =>
    callbacks.database.transaction(async (transaction) => {
      const ids: string[] = [];
      for (const host of hosts)
        ids.push(...(await callbacks.record(organisation, `http://${host}/`, 1, transaction)));
      await transaction.execute(sql`
        UPDATE callback SET attempt = 1, leased_until = now() + interval '1 hour',
          next_attempt_at = now() + interval '1 hour'
        WHERE id = ANY (${ids}::uuid[])`);
      return ids;
    });

  it('is stored with others that end at the same time, also of the same host', async () => {
    const hosts = ['one.example', 'one.example', 'two.example'];
    const ids = await claimed(hosts);
    const lost = '00000000-0000-7000-8000-000000000000';
    const ended = await Promise.all([
      ...ids.map((id, index) => end(id, hosts[index] ?? '')),
      end(lost, 'one.example'),
    ]);
    expect(ended.map((each) => each?.id)).toEqual([...ids, undefined]);
    for (const id of ids) {
      expect(await callbacks.stored(id)).toMatchObject({ state: 'delivered', leased: false });
      expect(await callbacks.attemptsOf(id)).toMatchObject([{ attempt: 1, status: 200 }]);
    }
  });

  it('counts as a failure of its host also if others fail at the same time', async () => {
    const host = 'failing.example';
    const ids = await claimed(Array.from({ length: 2 * breaker.failures }, () => host));
    const ended = await Promise.all(ids.map((id) => end(id, host, { status: 500 })));
    // The circuit opens after the fifth; failures of attempts that were in flight then do not count.
    expect(ended.map((each) => each?.failures).toSorted()).toEqual([1, 2, 3, 4, 5, 5, 5, 5, 5, 5]);
    expect(ended.filter((each) => each?.opened)).toHaveLength(1);
  });
});

/** Last: it replaces the worker. */
describe('a callback of an organisation whose callbacks are restricted', () => {
  const restrict = (restrictedCallbacks: boolean) =>
    callbacks.database.organisation.update({ where: { id: organisation }, data: { restrictedCallbacks } });

  beforeEach(async () => {
    organisation = await callbacks.organisation();
  });

  it('is not sent to a port of another protocol', async () => {
    const [id = ''] = await callbacks.record(organisation, 'http://127.0.0.1:25/');
    await attempt(id);
    await restrict(true);
    await attempt(id);
    const errors = (await callbacks.attemptsOf(id)).map(({ error }) => error);
    expect(errors).toEqual(['connect', 'refused_url']);
  });

  it('is not sent without TLS in production', async () => {
    await callbacks.endWorkers();
    worker = await callbacks.worker({}, 'production');
    const { consumer, id } = await meet((_request, response) => response.end());
    await restrict(true);
    await attempt(id);
    expect(consumer.seen).toEqual([]);
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ error: 'refused_url' }]);
    await restrict(false);
    await attempt(id);
    expect(consumer.seen).toHaveLength(1);
  });
});
