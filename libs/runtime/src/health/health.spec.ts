import { describe, expect, it } from '@jest/globals';
import { Health } from './health.js';

const answering = { ping: () => Promise.resolve() };
const away = { ping: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')) };
const silent = { ping: () => new Promise<void>(() => undefined) };
const serving = (running: boolean, oldestActiveMs: number) => ({
  progress: () => ({ running, oldestActiveMs }),
});
const idle = serving(true, 0);

function started(foundations: Partial<Parameters<Health['started']>[0]> = {}): Health {
  const health = new Health();
  health.started({ database: answering, queues: answering, server: idle, ...foundations });
  return health;
}

describe('healthz', () => {
  it('is healthy while the process starts and while it is idle', () => {
    expect(new Health().live()).toEqual({ healthy: true, checks: { event_loop: 'ok' } });
    expect(started().live()).toEqual({
      healthy: true,
      checks: { event_loop: 'ok', queue_loop: 'ok', handlers: 'ok' },
    });
  });

  it('is healthy while the database or the broker is unavailable, as a restart would not help', () => {
    expect(started({ database: away, queues: away }).live().healthy).toBe(true);
  });

  it.each([
    ['queue_loop', 'has stopped taking work', started({ server: serving(false, 0) })],
    ['handlers', 'one has been running for 301 s', started({ server: serving(true, 301_000) })],
  ])('fails by %s: %s', (check, reason, health) => {
    expect(health.live()).toMatchObject({ healthy: false, checks: { [check]: reason } });
  });
});

describe('readyz', () => {
  it('names each check', async () => {
    expect(await started().ready()).toEqual({
      healthy: true,
      checks: { process: 'ok', database: 'ok', queue: 'ok' },
    });
  });

  it('is not ready before the start and after the request to stop', async () => {
    const health = new Health();
    expect(await health.ready()).toEqual({ healthy: false, checks: { process: 'starting' } });
    health.started({ database: answering, queues: answering });
    health.stopping();
    expect(await health.ready()).toMatchObject({ healthy: false, checks: { process: 'stopping' } });
  });

  it('does not wait for its dependencies while it stops', async () => {
    let asked = 0;
    const database = { ping: () => Promise.resolve(void (asked += 1)) };
    const health = started({ database });
    health.stopping();
    expect(await health.ready()).toEqual({ healthy: false, checks: { process: 'stopping' } });
    expect(asked).toBe(0);
  });

  it('names the dependency that does not answer, without the reason', async () => {
    expect(await started({ database: away, queues: silent }).ready()).toEqual({
      healthy: false,
      checks: { process: 'ok', database: 'does not answer', queue: 'does not answer' },
    });
  });

  it('does not check again for every probe', async () => {
    let asked = 0;
    const database = { ping: () => Promise.resolve(void (asked += 1)) };
    const health = started({ database });
    await Promise.all(Array.from({ length: 50 }, () => health.ready()));
    expect(asked).toBe(1);
  });
});
