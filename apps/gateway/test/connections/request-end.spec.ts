import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { atEnd, noticeEnds } from '../../src/http/request/request-end.js';

let server: FastifyInstance;
let open: number;
/** How long a request waits before it counts. */
let delayMs: number;

beforeEach(async () => {
  [open, delayMs] = [0, 0];
  server = fastify();
  noticeEnds(server);
  server.addHook('onRequest', async (request) => {
    if (delayMs > 0) await pause(delayMs);
    open += 1;
    atEnd(request, () => {
      open -= 1;
    });
  });
  server.get('/answered', () => ({}));
  server.get('/held', () => new Promise(() => undefined));
  await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => server.close());

async function send(path: string, count = 1): Promise<Socket> {
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count));
  return socket;
}

describe('the end of a request', () => {
  it('is noticed when the response was sent, and the connection stays open', async () => {
    const socket = await send('/answered', 3);
    await until('the responses arrive', () => socket.bytesRead > 0 && open === 0);
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it('is noticed for all requests of a connection that is closed, also for those that wait behind another', async () => {
    const socket = await send('/held', 20);
    await until('the requests have begun', () => open === 20);
    socket.resetAndDestroy();
    await until('the requests have ended', () => open === 0);
  });

  it('is noticed at once for a request that counts only after its client has gone', async () => {
    delayMs = 300;
    let begun = 0;
    server.server.on('request', () => {
      begun += 1;
    });
    const socket = await send('/held');
    await until('the request has arrived', () => begun === 1);
    socket.resetAndDestroy();
    await pause(2 * delayMs);
    expect(open).toBe(0);
  });
});
