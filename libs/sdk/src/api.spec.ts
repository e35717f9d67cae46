import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rejection, ScriptedServer, type Step } from '../test/support/scripted-server.js';
import {
  ApiError,
  ConnectionError,
  Gangan,
  type GanganOptions,
  type RetryEvent,
  TimeoutError,
  type UnkeyedOptions,
  type WriteOptions,
} from './index.js';

const sent: Step = { body: { id: 'message-1' } };
const message = { recipients: '08031234567', content: 'Hello' };

describe('a call', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await ScriptedServer.start();
  });
  afterAll(() => server.stop());

  const retries: RetryEvent[] = [];
  const client = (options: Partial<GanganOptions> = {}): Gangan => {
    retries.length = 0;
    const onRetry = (event: RetryEvent): void => void retries.push(event);
    return new Gangan({ baseUrl: `${server.url}/`, apiKey: 'sk_test_demo', onRetry, ...options });
  };

  it('sends the key alone, and the body as JSON', async () => {
    server.script(sent);
    await client().messages.send(message);
    const [request] = server.seen;
    expect(request).toMatchObject({ method: 'POST', url: '/sms/send', body: JSON.stringify(message) });
    expect(request?.headers).toMatchObject({
      authorization: 'sk_test_demo',
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[\da-f]{32}$/),
    });
    expect(request?.headers).not.toHaveProperty('gangan-organisation');
  });

  it.each<[string, Step]>([
    ['a connection that breaks before the response', 'reset'],
    ['a connection that breaks within the response', 'cut'],
    ['409 in_progress', rejection(409, 'in_progress', 0)],
    ['429', rejection(429, 'rate_limited', 0)],
    ['429 without a type', rejection(429, undefined, 0)],
    ['503', rejection(503, 'overloaded', 0)],
    ['503 outcome_unknown', rejection(503, 'outcome_unknown')],
    ['502 of a proxy', { status: 502, body: '<html>' }],
  ])('is retried after %s, under the same key', async (_, failure) => {
    server.script(failure, failure, sent);
    expect(await client().messages.send(message)).toEqual({ id: 'message-1' });
    expect(server.seen).toHaveLength(3);
    expect(new Set(server.keys).size).toBe(1);
    expect(new Set(server.seen.map(({ body }) => body)).size).toBe(1);
    const [key] = server.keys;
    expect(retries).toMatchObject([
      { route: 'POST /sms/send', attempt: 1, idempotencyKey: key },
      { route: 'POST /sms/send', attempt: 2, idempotencyKey: key },
    ]);
    expect(retries.every(({ error, delayMs }) => error instanceof Error && delayMs >= 0)).toBe(true);
  });

  it.each<[string, Step]>([
    ['400', rejection(400, 'phone')],
    ['402', rejection(402, 'insufficient_balance')],
    ['409 of another type', rejection(409, 'already_completed')],
    ['429 too_many_attempts, which used an attempt of the OTP', rejection(429, 'too_many_attempts', 0)],
    ['500', rejection(500)],
    ['429 that lasts longer than the call may', rejection(429, 'daily_limit', 3_600)],
  ])('is not retried after %s', async (_, failure) => {
    server.script(failure, sent);
    await expect(client().messages.send(message)).rejects.toThrow(ApiError);
    expect(server.seen).toHaveLength(1);
  });

  it('has a new key each time, and the given one', async () => {
    server.script(sent);
    const { messages } = client();
    await messages.send(message);
    await messages.send(message);
    await messages.send(message, { idempotencyKey: 'order-17' });
    expect(new Set(server.keys).size).toBe(3);
    expect(server.keys[2]).toBe('order-17');
  });

  it('has typed errors', async () => {
    server.script(rejection(400, 'phone'));
    const error = await client()
      .messages.send(message, { idempotencyKey: 'order-17' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      message: 'POST /sms/send: The request failed',
      route: 'POST /sms/send',
      status: 400,
      type: 'phone',
      fields: [{ field: 'recipients', message: 'It is wrong', type: 'phone' }],
      requestId: 'request-1',
      idempotencyKey: 'order-17',
    });
  });

  it('waits as long as Retry-After says', async () => {
    server.script(rejection(503, 'overloaded', 1), sent);
    const startedAt = performance.now();
    await client().messages.send(message);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(retries[0]?.delayMs).toBeGreaterThanOrEqual(1_000);
  });

  it('gives up after the given number of retries, and names its key', async () => {
    server.script('reset');
    const error = await client({ maxRetries: 2 })
      .messages.send(message)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(server.seen).toHaveLength(3);
    expect((error as ConnectionError).idempotencyKey).toBe(server.keys[0]);
  });

  it('does not count how often it waits for an earlier attempt', async () => {
    server.script('reset', ...Array.from({ length: 4 }, () => rejection(409, 'in_progress', 0)), sent);
    await client({ maxRetries: 1 }).messages.send(message);
    expect(server.seen).toHaveLength(6);
  });

  it('ends with a TimeoutError, whose cause is the last failure', async () => {
    server.script(rejection(503, 'overloaded', 0), 'hang');
    const error = await client({ timeoutMs: 300 })
      .messages.send(message)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ idempotencyKey: server.keys[0], cause: { type: 'overloaded' } });
  });

  it('can be aborted while it waits for a response, and between attempts', async () => {
    for (const step of ['hang', rejection(503, 'overloaded', 30)] as const) {
      server.script(step);
      const controller = new AbortController();
      const { signal } = controller;
      const call = client().messages.send(message, { signal });
      setTimeout(() => {
        controller.abort(new Error('The user left'));
      }, 100);
      await expect(call).rejects.toThrow('The user left');
      expect(server.seen).toHaveLength(1);
    }
    server.script(sent);
    await expect(client().messages.send(message, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(server.seen).toHaveLength(0);
  });

  it('reads again if the answer was lost', async () => {
    server.script('reset', { body: { available_balance: 1 } });
    expect(await client().balance.find()).toEqual({ available_balance: 1 });
    server.script('cut', { body: {} });
    await client().messages.estimate(message);
    expect(server.keys).toEqual([undefined, undefined]);
  });

  it.each<[string, (gangan: Gangan, retryLostAnswers?: boolean) => Promise<unknown>]>([
    ['looks up', ({ lookup }, retryLostAnswers) => lookup.phone('08031234567', { retryLostAnswers })],
    ['deletes', ({ templates }, retryLostAnswers) => templates.remove('template-1', { retryLostAnswers })],
  ])('%s once if the answer was lost, unless the caller asks for more', async (_, call) => {
    for (const lost of ['reset', rejection(503, 'outcome_unknown', 0), { status: 502, body: '' }] as const) {
      server.script(lost, {});
      await expect(call(client())).rejects.toThrow();
      expect(server.seen).toHaveLength(1);
      server.script(lost, {});
      await call(client(), true);
      expect(server.seen).toHaveLength(2);
      expect(server.keys).toEqual([undefined, undefined]);
    }
    server.script(rejection(503, 'overloaded', 0), {});
    await call(client());
    expect(server.seen).toHaveLength(2);
  });

  it('keeps its key if an option of lookups is given without types', async () => {
    server.script('reset', sent);
    const options: UnkeyedOptions & WriteOptions = { retryLostAnswers: true };
    await client().messages.send(message, options);
    expect(server.keys).toEqual([expect.any(String), server.keys[0]]);
  });

  it('puts the number of a lookup into the query', async () => {
    server.script({});
    await client().lookup.phone('+234 803 123 4567');
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/lookup/phone?phone=%2B234+803+123+4567',
      body: '',
    });
  });

  it('uploads a text, a blob and a stream, and repeats all but the stream', async () => {
    const csv = 'Name\nAda\n';
    for (const file of [csv, new Blob([csv])]) {
      server.script('reset', {});
      await client().contacts.imports.create(file, { upsert: 'Email' });
      expect(server.seen.map(({ body }) => body)).toEqual([csv, csv]);
      expect(new Set(server.keys).size).toBe(1);
    }
    const stream = () => new Blob([csv]).stream() as ReadableStream<Uint8Array>;
    server.script('reset');
    await expect(client().contacts.imports.create(stream())).rejects.toThrow(ConnectionError);
    expect(server.seen).toHaveLength(1);
    server.script({});
    await client().contacts.imports.create(stream(), { upsert: 'Email' });
    expect(server.seen[0]).toMatchObject({ url: '/lists/contact/imports?upsert=Email', body: csv });
    expect(server.seen[0]?.headers['content-type']).toBe('text/csv');
  });

  it('returns a file that is read later', async () => {
    server.script('reset', { headers: { 'content-type': 'text/csv' }, body: 'Name\r\n' });
    const file = await client({ timeoutMs: 500 }).contacts.exports.file('export-1', { bom: 'true' });
    expect(server.seen[1]?.url).toBe('/lists/contact/exports/export-1/file?bom=true');
    expect(await file.text()).toBe('Name\r\n');
    server.script(rejection(404));
    await expect(client().contacts.exports.file('export-1')).rejects.toThrow(ApiError);
  });

  it.each(['', '.', '..'])('rejects %j as an id, which would lead to another route', async (id) => {
    server.script({});
    await expect(client().messages.find(id)).rejects.toThrow(TypeError);
    expect(server.seen).toHaveLength(0);
  });

  it('escapes ids, and keeps the path of the base URL', async () => {
    server.script({});
    await client({ baseUrl: `${server.url}/api/` }).messages.find('a/b?c');
    expect(server.seen[0]?.url).toBe('/api/sms/a%2Fb%3Fc');
  });

  it('rejects a key that a header cannot contain before it sends anything', async () => {
    server.script({});
    await expect(client().messages.send(message, { idempotencyKey: 'a\nb' })).rejects.toThrow(TypeError);
    expect(server.seen).toHaveLength(0);
  });

  it('uses the session of a browser: the cookie, and the organisation in a header', async () => {
    const inits: (RequestInit | undefined)[] = [];
    const gangan = new Gangan({
      baseUrl: server.url,
      organisation: 'organisation-1',
      fetch: (url, init) => {
        inits.push(init);
        return fetch(url, init);
      },
    });
    server.script('reset', {}, {});
    await gangan.balance.find();
    await gangan.messages.send(message);
    expect(inits.map((init) => init?.credentials)).toEqual(['include', 'include', 'include']);
    for (const { headers } of server.seen) {
      expect(headers['gangan-organisation']).toBe('organisation-1');
      expect(headers).not.toHaveProperty('authorization');
    }
  });
});
