import { describe, expect, it } from '@jest/globals';
import { readEnvironment, readSettings, StartError, urlOf } from './settings.js';

describe('the settings of a start', () => {
  it('are all optional', () => {
    expect(readSettings({})).toMatchObject({ host: '127.0.0.1', port: 3000, production: false });
    expect(readSettings({}).dataDir).toMatch(/\.data$/);
  });

  it.each<[env: NodeJS.ProcessEnv, seedsDemo: boolean]>([
    [{}, true],
    [{ NODE_ENV: 'production', SEED_DEMO: 'true' }, false],
    [{ DATABASE_URL: 'postgresql://theirs' }, false],
    [{ DATABASE_URL: 'postgresql://theirs', SEED_DEMO: 'true' }, true],
  ])('with %j seeds the demo organisation: %s', (env, seedsDemo) => {
    expect(readSettings(env).seedsDemo).toBe(seedsDemo);
  });

  it('is compact only if asked for, and then has smaller pools', () => {
    expect(readSettings({})).toMatchObject({ compact: false, maxPoolSizes: { database: 8, queue: 8 } });
    expect(readSettings({ QUEUE_POOL_SIZE: '9' }, ['--compact'])).toMatchObject({
      compact: true,
      maxPoolSizes: { database: 4, queue: 9 },
    });
  });

  it('treat a blank value as absent', () => {
    expect(readSettings({ DATABASE_URL: ' ', REDIS_URL: '', PORT: '' })).toMatchObject({
      databaseUrl: undefined,
      redisUrl: undefined,
      port: 3000,
    });
  });

  it.each(['0', 'abc', '70000', '30.5'])('reject PORT=%s with an explanation', (PORT) => {
    expect(() => readSettings({ PORT })).toThrow('PORT must be a whole number from 1 to 65535.');
  });

  it('reject a secret file that cannot be read, with an explanation', () => {
    expect(readEnvironment({ PORT: '1', QUEUE_MASTER_KEY_FILE: '' })).toEqual({ PORT: '1' });
    const read = (): unknown => readEnvironment({ QUEUE_MASTER_KEY_FILE: '/missing' });
    expect(read).toThrow(StartError);
    expect(read).toThrow('QUEUE_MASTER_KEY_FILE names a file that cannot be read (ENOENT).');
  });
});

describe('urlOf', () => {
  it.each([
    ['127.0.0.1', 'http://localhost:3000'],
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['192.168.1.5', 'http://192.168.1.5:3000'],
    ['fd00::5', 'http://[fd00::5]:3000'],
    ['box.local', 'http://box.local:3000'],
  ])('gives %s as %s', (host, url) => {
    expect(urlOf(host, 3000)).toBe(url);
  });
});
