import { describe, expect, it } from '@jest/globals';
import { environmentOf } from './app-environment.js';
import { readSettings } from '../settings.js';

const facts = {
  databaseUrl: 'postgresql://own',
  queueKey: 'key',
  url: 'http://localhost:3000',
  compileCache: '/cache',
};
const of = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  environmentOf(env, readSettings(env), facts, { database: 4, queue: 5 });

describe('the environment of an app', () => {
  it('is that of local work by default', () => {
    expect(of({ HOME: '/home/x' })).toEqual({
      HOME: '/home/x',
      NODE_ENV: 'development',
      PUBLIC_URL: 'http://localhost:3000',
      HOST: '127.0.0.1',
      PORT: '3000',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      CALLBACK_ALLOW_PRIVATE: 'true',
      SIMULATE_LIVE: 'true',
      DATABASE_URL: 'postgresql://own',
      QUEUE_KEY: 'key',
      DATABASE_POOL_SIZE: '4',
      QUEUE_POOL_SIZE: '5',
      NODE_COMPILE_CACHE: '/cache',
      MALLOC_ARENA_MAX: '2',
    });
  });

  it('keeps what the user has set, but for the ports and pools that the supervisor shares out', () => {
    const env = of({
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://x.example',
      CALLBACK_ALLOW_PRIVATE: 'false',
      REDIS_URL: 'redis://localhost',
      METRICS_PORT: '9464',
      DATABASE_POOL_SIZE: '50',
      LOG_LEVEL: '',
    });
    expect(env).toMatchObject({
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://x.example',
      CALLBACK_ALLOW_PRIVATE: 'false',
      REDIS_URL: 'redis://localhost',
      METRICS_PORT: '0',
      DATABASE_POOL_SIZE: '4',
    });
    expect(env).not.toHaveProperty('LOG_LEVEL');
  });

  it.each([{ DATABASE_URL: 'postgresql://theirs' }, { NODE_ENV: 'production' }])(
    'does not simulate providers for live organisations with %j',
    (env) => {
      expect(of(env)).not.toHaveProperty('SIMULATE_LIVE');
    },
  );

  it.each([{ DATABASE_URL: 'postgresql://theirs' }, { NODE_ENV: 'production' }])(
    'does not allow callbacks to private addresses with %j',
    (env) => {
      expect(of(env)).not.toHaveProperty('CALLBACK_ALLOW_PRIVATE');
    },
  );
});
