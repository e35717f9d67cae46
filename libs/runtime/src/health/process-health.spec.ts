import { describe, expect, it } from '@jest/globals';
import { Health } from './health.js';
import { ProcessHealth } from './process-health.js';

const answering = { ping: () => Promise.resolve() };
const away = { ping: () => Promise.reject(new Error('away')) };
const started = (running = true, queues = answering): Health => {
  const health = new Health();
  health.started({
    database: answering,
    queues,
    server: { progress: () => ({ running, oldestActiveMs: 0 }) },
  });
  return health;
};
const of = (apps: Record<string, Health>): ProcessHealth => new ProcessHealth(new Map(Object.entries(apps)));

describe('the health of a process', () => {
  it('with one app is the health of the app', async () => {
    const otp = started();
    expect(of({ otp }).live()).toEqual(otp.live());
    expect(await of({ otp }).ready()).toEqual(await otp.ready());
  });

  it('with several apps names the app of each check', async () => {
    const health = of({ otp: started(), lookup: new Health() });
    expect(health.live()).toEqual({
      healthy: true,
      checks: { event_loop: 'ok', 'otp.queue_loop': 'ok', 'otp.handlers': 'ok' },
    });
    expect(await health.ready()).toEqual({
      healthy: false,
      checks: {
        'otp.process': 'ok',
        'otp.database': 'ok',
        'otp.queue': 'ok',
        'lookup.process': 'starting',
      },
    });
  });

  it('is healthy only if all apps are', async () => {
    expect(of({ otp: started(), lookup: started(false) }).live()).toMatchObject({
      healthy: false,
      checks: { 'otp.queue_loop': 'ok', 'lookup.queue_loop': 'has stopped taking work' },
    });
    expect(await of({ otp: started(true, away), lookup: started() }).ready()).toMatchObject({
      healthy: false,
      checks: { 'otp.queue': 'does not answer', 'lookup.queue': 'ok' },
    });
    expect((await of({ otp: started(), lookup: started() }).ready()).healthy).toBe(true);
  });
});
