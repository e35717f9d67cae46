import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isFullSuite, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, StreamableFile } from '@nestjs/common';
import { HealthController } from '../../src/health/health.controller.js';
import { Public, Scope } from '../../src/http/routes/access.js';
import { expectError } from '../support/error-shape.js';
import { GatewayFixture } from '../support/gateway-fixture.js';
import { requestModules } from '../support/request-modules.js';
import type { RunningGateway } from '../support/running-gateway.js';

/** More than the buffers of the operating system hold. */
const large = Buffer.alloc(16 * 1_048_576, 'x');

@Controller()
class DownloadsController {
  static waiting: (() => void)[] = [];

  @Get('large')
  @Public()
  large(): StreamableFile {
    return new StreamableFile(large);
  }

  @Get('held')
  @Public()
  held(): Promise<object> {
    return new Promise((resolve) => {
      DownloadsController.waiting.push(() => {
        resolve({});
      });
    });
  }

  @Get('keyed')
  @Scope('sms:read')
  keyed(): object {
    return {};
  }
}

@Module({ imports: requestModules, controllers: [DownloadsController, HealthController] })
class DownloadsModule {}

const stallTimeoutMs = 1_000;
const longerMs = stallTimeoutMs * (isFullSuite ? 3 : 1.5);
const sockets: Socket[] = [];
let fixture: GatewayFixture;
let gateway: RunningGateway;
let key: string;
beforeAll(async () => {
  fixture = await GatewayFixture.create();
  gateway = await start();
  ({ key } = await fixture.issueKey({ scopes: ['sms:read'] }));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  release();
});
afterAll(() => fixture.stop());

const release = (): void => {
  for (const answer of DownloadsController.waiting.splice(0)) answer();
};

const start = (limits: object = {}): Promise<RunningGateway> =>
  fixture.gateway({ module: DownloadsModule, stallTimeoutMs, trustedProxies: '127.0.0.1', limits });

/** Sends a request and reads nothing. */
async function ask({ port }: RunningGateway, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

describe('a client that stops reading', () => {
  it('is disconnected even while it sends bytes, and its requests no longer count', async () => {
    // From half of the limit on, requests without a key are rejected.
    const small = await start({ MAX_REQUESTS_IN_PROGRESS: 3 });
    await ask(small, '/large');
    const sending = await ask(small, '/large');
    const drip = setInterval(() => sending.write('\r\n'), 50);
    try {
      await until(
        'both requests are in progress',
        async () => (await small.call({ path: '/keyed' })).status === 503,
      );
      await until('neither is in progress', async () => {
        await ask(small, '/held');
        return DownloadsController.waiting.length === 2;
      });
    } finally {
      clearInterval(drip);
    }
  });
});

describe('a client', () => {
  it('is not disconnected while it reads slowly', async () => {
    const socket = await ask(gateway, '/large');
    let bytes = 0;
    const startedAt = performance.now();
    const readingMs = () => performance.now() - startedAt;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > large.length) break;
      if (readingMs() < longerMs) await pause(20);
    }
    expect(readingMs()).toBeGreaterThan(stallTimeoutMs);
    expect(bytes).toBeGreaterThan(large.length);
  });

  it('is not disconnected while it waits for its response', async () => {
    const held = gateway.call({ path: '/held' });
    await pause(longerMs);
    release();
    expect((await held).status).toBe(200);
  });
});

describe('requests without a key', () => {
  it('are limited to 100 in progress per client address', async () => {
    const from = (address: string, path: string, headers: readonly (readonly [string, string])[] = []) =>
      gateway.call({ path, headers: [['x-forwarded-for', address], ...headers] });
    const held = Array.from({ length: 100 }, () => from('192.0.2.1', '/held'));
    await until('they are in progress', () => DownloadsController.waiting.length === 100);

    const refused = await from('192.0.2.1', '/held');
    expect(expectError(refused, 429)).toEqual(['address rate_limited']);
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect((await from('192.0.2.1', '/healthz')).status).toBe(200);
    expect((await from('192.0.2.1', '/in/nobody/token')).status).not.toBe(429);
    expect((await from('192.0.2.1', '/keyed', [['authorization', key]])).status).toBe(200);
    const other = from('192.0.2.2', '/held');
    await until('another address is served', () => DownloadsController.waiting.length === 101);

    release();
    for (const { status } of await Promise.all([...held, other])) expect(status).toBe(200);
    const next = from('192.0.2.1', '/held');
    await until('it is served again', () => DownloadsController.waiting.length === 1);
    release();
    expect((await next).status).toBe(200);
  });
});
