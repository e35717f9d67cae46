import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayFixture } from '../support/gateway-fixture.js';
import type { RunningGateway } from '../support/running-gateway.js';

const bodyTimeoutMs = 1_000;
const piece = 'x'.repeat(16_384);
const pieces = 8;
const length = `Content-Length: ${pieces * piece.length}`;
const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
const found = { msisdn: '2348031234567', operator: 'MTN', country: 'NG', ported: false, dnd: false };

let fixture: GatewayFixture;
let gateway: RunningGateway;
let key: string;
beforeAll(async () => {
  fixture = await GatewayFixture.create();
  await fixture.answerLookups(() => found);
  gateway = await fixture.gateway({ bodyTimeoutMs, limits: { CONTACT_IMPORT_MAX_BYTES: piece.length } });
  ({ key } = await fixture.issueKey({ scopes: ['otp:write', 'lookup:read', 'contacts:write'] }));
});
afterAll(() => fixture.stop());

const head = (line: string, ...more: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', `Authorization: ${key}`, ...more, '', ''].join('\r\n');
const verify = (...more: string[]): string =>
  head('POST /otp/verify', 'Content-Type: application/json', ...more);
const upload = (): string =>
  head('POST /lists/contact/imports', 'Content-Type: text/csv', 'Transfer-Encoding: chunked');

async function open(port = gateway.port): Promise<{ socket: Socket; received: string[] }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const received: string[] = [];
  socket.on('data', (bytes) => received.push(bytes.toString()));
  await once(socket, 'connect');
  return { socket, received };
}

describe('a body that is refused', () => {
  it.each([
    ['a body of a known length', () => verify(length), piece, '', 413],
    ['a body in chunks', () => verify('Transfer-Encoding: chunked'), chunk, '0\r\n\r\n', 413],
    ['a request that is the last of its client', () => verify(length, 'Connection: close'), piece, '', 413],
    ['an unknown path', () => head('POST /nowhere', length, 'Connection: close'), piece, '', 404],
    ['an upload', upload, chunk, '0\r\n\r\n', 413],
  ])('is read to its end after the response: %s', async (_, begin, sent, end, status) => {
    const { socket, received } = await open();
    // A broken connection would be an error.
    const closed = once(socket, 'close');
    socket.write(begin());
    for (let index = 0; index < pieces; index++) {
      socket.write(sent);
      await pause(20);
    }
    socket.end(end);
    await closed;
    expect(received.join('')).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nconnection: close\r\n`, 'i'));
  });

  it('is waited for only for a limited time', async () => {
    const { socket } = await open();
    socket.write(verify(length));
    await once(socket, 'end');
    const closed = new Promise((resolve) => socket.once('error', () => undefined).once('close', resolve));
    const timer = setInterval(() => socket.write('x'), 50);
    await closed;
    clearInterval(timer);
  });

  it('is read only as far as the limit of all refused bodies allows', async () => {
    const timeouts = { bodyTimeoutMs: 60_000, requestTimeoutMs: 60_000 };
    const limited = await fixture.gateway({ ...timeouts, discardedBytesPerSecond: piece.length });
    const { socket, received } = await open(limited.port);
    const closed = new Promise((resolve) => socket.once('error', () => undefined).once('close', resolve));
    socket.write(verify('Content-Length: 1000000000'));
    const timer = setInterval(() => socket.write(piece), 5);
    const isClosed = await Promise.race([closed.then(() => true), pause(20_000, false)]);
    clearInterval(timer);
    socket.destroy();
    expect(isClosed).toBe(true);
    expect(received.join('')).toMatch(/^HTTP\/1.1 413 [^]*\r\nconnection: close\r\n/i);
  });

  it('ends the connection: a request that follows it is not executed', async () => {
    const { socket, received } = await open();
    const closed = once(socket, 'close');
    socket.write(verify(length));
    await once(socket, 'end');
    socket.end(`${piece.repeat(pieces)}${head('GET /lookup/phone?phone=08031234567')}`);
    await closed;
    expect(received.join('').match(/HTTP\/1.1/g)).toHaveLength(1);
    // It would be sent to the worker after the connection was closed.
    await pause(500);
    expect(fixture.asked).toEqual([]);
  });
});
