import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayFixture } from './support/gateway-fixture.js';
import type { RunningGateway } from './support/running-gateway.js';

const bodyTimeoutMs = 1_000;
const piece = 'x'.repeat(16_384);
const pieces = 8;

let fixture: GatewayFixture;
let gateway: RunningGateway;
let key: string;
beforeAll(async () => {
  fixture = await GatewayFixture.create();
  gateway = await fixture.gateway({ bodyTimeoutMs });
  ({ key } = await fixture.issueKey({ scopes: ['otp:write'] }));
});
afterAll(() => fixture.stop());

const headers = (framing: string): string =>
  [
    'POST /otp/verify HTTP/1.1',
    ...['Host: x', `Authorization: ${key}`, 'Content-Type: application/json', framing],
    ...['', ''],
  ].join('\r\n');

async function open(): Promise<{ socket: Socket; received: string[] }> {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  const received: string[] = [];
  socket.on('data', (bytes) => received.push(bytes.toString()));
  await once(socket, 'connect');
  return { socket, received };
}

describe('a body that is too large', () => {
  it.each([
    ['of a known length', `Content-Length: ${pieces * piece.length}`, piece, ''],
    ['in chunks', 'Transfer-Encoding: chunked', `${piece.length.toString(16)}\r\n${piece}\r\n`, '0\r\n\r\n'],
  ])('is read to its end after the response: %s', async (_, framing, sent, end) => {
    const { socket, received } = await open();
    // A broken connection would be an error.
    const closed = once(socket, 'close');
    socket.write(headers(framing));
    for (let index = 0; index < pieces; index++) {
      socket.write(sent);
      await pause(20);
    }
    socket.end(end);
    await closed;
    expect(received.join('')).toMatch(/^HTTP\/1.1 413 [^]*\r\nconnection: close\r\n/i);
  });

  it('is waited for only for a limited time', async () => {
    const { socket } = await open();
    socket.write(headers(`Content-Length: ${pieces * piece.length}`));
    await once(socket, 'end');
    const closed = new Promise((resolve) => socket.once('error', () => undefined).once('close', resolve));
    const timer = setInterval(() => socket.write('x'), 50);
    await closed;
    clearInterval(timer);
  });
});
