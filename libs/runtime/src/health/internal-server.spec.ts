import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import { Health } from './health.js';
import { type InternalServer, startInternalServer } from './internal-server.js';

describe('the internal port', () => {
  const health = new Health();
  const metrics = new Registry();
  new Counter({ name: 'things_total', help: 'Things', registers: [metrics] }).inc(3);
  let server: InternalServer;
  beforeAll(async () => {
    server = await startInternalServer({ hosts: ['127.0.0.1'], port: 0 }, health, () => metrics.metrics());
  });
  afterAll(() => server.close());

  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: response.status, text: await response.text() };
  };

  it('serves metrics, health and readiness', async () => {
    expect(await ask('/metrics')).toMatchObject({
      status: 200,
      text: expect.stringContaining('things_total 3'),
    });
    expect(await ask('/healthz?from=probe')).toEqual({
      status: 200,
      text: '{"healthy":true,"checks":{"event_loop":"ok"}}\n',
    });
    expect(await ask('/readyz')).toEqual({
      status: 503,
      text: '{"healthy":false,"checks":{"process":"starting"}}\n',
    });
  });

  it('serves nothing else', async () => {
    expect(await ask('/')).toMatchObject({ status: 404 });
    expect(await ask('/metrics', 'POST')).toMatchObject({ status: 404 });
    expect(await ask('/constructor')).toMatchObject({ status: 404 });
  });

  it('listens on several addresses with the same port, and on no other', async () => {
    const several = await startInternalServer({ hosts: ['127.0.0.2', '127.0.0.3'], port: 0 }, health, () =>
      metrics.metrics(),
    );
    const statusAt = async (host: string): Promise<number | undefined> =>
      fetch(`http://${host}:${several.port}/healthz`).then(
        ({ status }) => status,
        () => undefined,
      );
    const statuses = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map(statusAt));
    await several.close();
    expect([several.host, ...statuses]).toEqual(['127.0.0.2', undefined, 200, 200]);
    expect(await statusAt('127.0.0.2')).toBeUndefined();
  });

  it('forbids browsers to guess the type of a response', async () => {
    for (const path of ['/metrics', '/nothing']) {
      const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('reports that its port is taken', async () => {
    const second = startInternalServer({ hosts: ['127.0.0.1'], port: server.port }, health, () =>
      metrics.metrics(),
    );
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
