import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GuardedClient, type GuardedClientOptions } from '../src/guarded-client.js';
import { CallbackConsumer, until } from '@gangan/testing';

const kept = 16 * 1_024;
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const closing = ({ socket }: IncomingMessage): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));

async function meet(answer: RequestListener, options: Partial<GuardedClientOptions> = {}) {
  const consumer = await CallbackConsumer.start(answer);
  const client = new GuardedClient({ allowPrivate: true, ...options });
  open.push(
    () => client.close(),
    () => consumer.stop(),
  );
  const url = `http://localhost:${consumer.port}/hook?of=x`;
  const post = () => client.send({ url, headers: { 'webhook-id': 'id' }, body: '{"type":"ü"}' });
  return { consumer, client, post };
}

describe('a consumer that responds', () => {
  it('gets the request unchanged, and its response is returned', async () => {
    const { consumer, post } = await meet((_request, response) => response.writeHead(201).end('thanks'));
    expect(await post()).toEqual({
      outcome: 'answered',
      status: 201,
      body: Buffer.from('thanks'),
    });
    expect(consumer.seen).toMatchObject([
      { path: '/hook?of=x', host: `localhost:${consumer.port}`, body: '{"type":"ü"}' },
    ]);
    expect(consumer.seen[0]?.headers).toMatchObject({ 'webhook-id': 'id', 'content-length': '13' });
  });

  it.each([204, 410, 500])('with %d and an empty body is read', async (status) => {
    const { post } = await meet((_request, response) => response.writeHead(status).end());
    expect(await post()).toMatchObject({ outcome: 'answered', status, body: Buffer.alloc(0) });
  });

  it.each(['120', 'Sun, 15 Nov 2026 09:31:00 GMT'])(
    'with 429 and Retry-After %s is read',
    async (retryAfter) => {
      const { post } = await meet((_request, response) =>
        response.writeHead(429, { 'retry-after': retryAfter }).end(),
      );
      expect(await post()).toMatchObject({ status: 429, retryAfter });
    },
  );

  it('is called again on kept-alive connections', async () => {
    const { consumer, post } = await meet((_request, response) => response.end('x'.repeat(kept)));
    for (let turn = 0; turn < 20; turn++) expect(await post()).toMatchObject({ status: 200 });
    // A second connection is opened if the first is not idle yet.
    expect(consumer.connections).toBeLessThanOrEqual(2);
  });

  it('with early hints is read by its final status', async () => {
    const { post } = await meet((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(202).end('ok');
    });
    expect(await post()).toMatchObject({ status: 202, body: Buffer.from('ok') });
  });
});

describe('a consumer with an endless response', () => {
  const flood = (response: ServerResponse): void => {
    while (response.write('x'.repeat(65_536)));
    response.once('drain', () => {
      flood(response);
    });
  };

  it.each<[string, (response: ServerResponse) => void]>([
    ['for ever', flood],
    ['with 10 MB', (response) => response.end('x'.repeat(10_000_000))],
    ['with one byte too many', (response) => response.end('x'.repeat(kept + 1))],
  ])('%s is cut off after 16 KiB', async (_how, answer) => {
    const closed: Promise<unknown>[] = [];
    const { post } = await meet(
      (request, response) => {
        closed.push(closing(request));
        answer(response.on('error', () => undefined));
      },
      { idleMs: 600_000 },
    );
    expect(await post()).toMatchObject({ status: 200, body: Buffer.alloc(kept, 'x') });
    await Promise.all(closed);
  });

  it('is cut off by the timeout if it is slow', async () => {
    const closed: Promise<unknown>[] = [];
    const { post } = await meet(
      (request, response) => {
        const drip = setInterval(() => response.write('x'), 20);
        closed.push(
          closing(request).then(() => {
            clearInterval(drip);
          }),
        );
      },
      { timeoutMs: 1_000 },
    );
    expect(await post()).toMatchObject({ outcome: 'failed', reason: 'timeout' });
    expect(closed).toHaveLength(1);
    await Promise.all(closed);
  });
});

describe('a consumer that hangs', () => {
  it('times out, and its connection is closed', async () => {
    const closed: Promise<unknown>[] = [];
    const { post } = await meet((request) => closed.push(closing(request)), { timeoutMs: 1_000 });
    expect(await post()).toEqual({ outcome: 'failed', reason: 'timeout', notSent: false });
    expect(closed).toHaveLength(1);
    await Promise.all(closed);
  });

  it('gets no request if the name resolution timed out', async () => {
    let lookUp: (addresses: string[]) => void = () => undefined;
    const slow = new Promise<string[]>((resolve) => (lookUp = resolve));
    const names = [slow, Promise.resolve(['127.0.0.1'])];
    const { consumer, post } = await meet((_request, response) => response.end(), {
      timeoutMs: 300,
      resolve: () => names.shift() ?? slow,
    });
    expect(await post()).toEqual({ outcome: 'failed', reason: 'timeout', notSent: true });
    lookUp(['127.0.0.1']);
    expect(await post()).toMatchObject({ status: 200 });
    expect(consumer.seen).toHaveLength(1);
  });

  it('does not delay other calls to the same origin', async () => {
    const { consumer, post } = await meet((_request, response) => {
      if (consumer.seen.length > 100) response.end();
    });
    const hanging = Array.from({ length: 100 }, () => post());
    await until('the consumer has received all callbacks', () => consumer.seen.length === 100);
    expect(await post()).toMatchObject({ status: 200 });
    await open.shift()?.();
    await Promise.all(hanging);
  });
});

describe('a consumer', () => {
  it.each<[string, RequestListener]>([
    ['before its answer', (request) => request.socket.destroy()],
    ['with a reset before its answer', (request) => request.socket.resetAndDestroy()],
    ['within its answer', (request, response) => response.write('x', () => request.socket.destroy())],
    [
      'before the end of its answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('x', () => request.socket.end());
      },
    ],
  ])('that closes the connection %s is reported as reset', async (_when, answer) => {
    const { post } = await meet(answer);
    expect(await post()).toEqual({ outcome: 'failed', reason: 'reset', notSent: false });
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('with %s is reported as malformed', async (_what, bytes) => {
    const { post } = await meet((request) => request.socket.write(bytes));
    expect(await post()).toMatchObject({ outcome: 'failed', reason: 'malformed_answer' });
  });

  it('is reported as unreachable while it is down', async () => {
    const { consumer, post } = await meet(() => undefined);
    await consumer.stop();
    open.pop();
    expect(await post()).toEqual({ outcome: 'failed', reason: 'connect', notSent: true });
  });

  it('is called again after it closed the connection', async () => {
    let calls = 0;
    const { post } = await meet((request, response) =>
      calls++ === 0 ? request.socket.destroy() : response.end(),
    );
    expect(await post()).toMatchObject({ reason: 'reset' });
    expect(await post()).toMatchObject({ status: 200 });
  });
});

describe('an invalid request', () => {
  it('throws, and does not count as a failure of the consumer', async () => {
    const { consumer, client } = await meet((_request, response) => response.end());
    const url = `http://localhost:${consumer.port}/`;
    await expect(client.send({ url, headers: { x: 'a\r\nb' }, body: '' })).rejects.toThrow(
      'invalid x header',
    );
  });
});
