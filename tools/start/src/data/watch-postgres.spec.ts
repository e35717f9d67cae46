import type { EmbeddedServer } from '@gangan/embedded-postgres';
import { until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { watchPostgres } from './watch-postgres.js';

describe('the embedded database', () => {
  it('is reported when it was restarted', async () => {
    const said: string[] = [];
    let alive = false;
    const server: EmbeddedServer = {
      url: 'postgresql://x',
      port: 1,
      running: () => Promise.resolve(alive),
      kill: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      restart: () => Promise.resolve(void (alive = true)),
    };
    const stop = watchPostgres(server, (line) => said.push(line), 1);
    await until('two lines are printed', () => said.length === 2);
    await stop();
    expect(said).toEqual(['Postgres ended; starting it again', 'Postgres is ready again']);
  });

  it('is stopped only after a restart in progress', async () => {
    const events: string[] = [];
    let stop: (() => Promise<void>) | undefined;
    let finishRestart = (): void => undefined;
    const restarting = new Promise<void>((begun) => {
      const server: EmbeddedServer = {
        url: 'postgresql://x',
        port: 1,
        running: () => Promise.resolve(false),
        kill: () => Promise.resolve(),
        stop: () => Promise.resolve(void events.push('stopped')),
        restart: () => {
          begun();
          return new Promise<void>((done) => {
            finishRestart = () => {
              events.push('restarted');
              done();
            };
          });
        },
      };
      stop = watchPostgres(server, () => undefined, 1);
    });
    await restarting;
    const stopped = stop?.();
    finishRestart();
    await stopped;
    expect(events).toEqual(['restarted', 'stopped']);
  });
});
