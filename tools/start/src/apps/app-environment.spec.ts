import { describe, expect, it } from '@jest/globals';
import { inheritedBy } from '@gangan/protocol';
import { environmentOf, mergeEnvironments, withoutKeys } from './app-environment.js';
import { readSettings } from '../settings.js';

const facts = {
  databaseUrl: 'postgresql://own',
  queueKeys: 'gateway/otp:key',
  url: 'http://localhost:3000',
  compileCache: '/cache',
};
const of = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  environmentOf(env, readSettings(env), facts, { database: 4, queue: 5 });

describe('the environment of an app', () => {
  it('has the defaults for local work', () => {
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
      QUEUE_KEYS: 'gateway/otp:key',
      DATABASE_POOL_SIZE: '4',
      QUEUE_POOL_SIZE: '5',
      NODE_COMPILE_CACHE: '/cache',
      MALLOC_ARENA_MAX: '2',
    });
  });

  it('has the folder of the embedded database', () => {
    const embedded = environmentOf(
      {},
      readSettings({}),
      { ...facts, databaseFolder: '/data' },
      { database: 4, queue: 5 },
    );
    expect(embedded).toMatchObject({ DATABASE_FOLDER: '/data' });
  });

  it('keeps the variables of the user, except the ports and pools that the supervisor assigns', () => {
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

it.each(['QUEUE', 'DATA'])('has no %s keys of the shell, under any of their names', (use) => {
  const keys = Object.fromEntries(
    [`${use}_KEYS`, `OTP__${use}_KEYS`, `MESSAGING_${use}_KEYS`, `${use}_MASTER_KEY`, `${use}_KEY`].flatMap(
      (name) => [
        [name, 'secret'],
        [`${name}_FILE`, '/run/secret'],
      ],
    ),
  );
  expect(withoutKeys({ ...keys, QUEUE_POOL_SIZE: '9', OTP_PEPPER: 'p' })).toEqual({
    QUEUE_POOL_SIZE: '9',
    OTP_PEPPER: 'p',
  });
});

describe('the environment of several apps', () => {
  const byApp = {
    otp: { PATH: '/bin', DATABASE_URL: 'postgresql://otp@db/x', DATA_KEYS: 'k', OTP_PEPPER: 'p' },
    lookup: { PATH: '/bin', DATABASE_URL: 'postgresql://lookup@db/x', DATA_KEYS: 'k' },
    contacts: { PATH: '/bin', DATABASE_URL: 'postgresql://contacts@db/x' },
  };

  it('names the app of each variable that is not the same in all', () => {
    const inherited = { PATH: '/bin', DATABASE_URL: 'postgresql://owner@db/x', DATA_KEYS: 'k' };
    expect(mergeEnvironments(byApp, inherited)).toEqual({
      PATH: '/bin',
      OTP__DATABASE_URL: 'postgresql://otp@db/x',
      LOOKUP__DATABASE_URL: 'postgresql://lookup@db/x',
      CONTACTS__DATABASE_URL: 'postgresql://contacts@db/x',
      OTP__DATA_KEYS: 'k',
      LOOKUP__DATA_KEYS: 'k',
      OTP__OTP_PEPPER: 'p',
    });
  });

  it('keeps the value for all, which the process reads, beside that of one app', () => {
    const inherited = {
      LOG_LEVEL: 'warn',
      OTP__LOG_LEVEL: 'debug',
      EVENT_LOOP_TIMEOUT_SECONDS: '0',
      LOOKUP__EVENT_LOOP_TIMEOUT_SECONDS: '5',
      NODE_OPTIONS: '--enable-source-maps',
      CONTACTS__NODE_OPTIONS: '--no-warnings',
    };
    const apps = ['otp', 'lookup', 'contacts'];
    const environments = Object.fromEntries(apps.map((app) => [app, inheritedBy(app, inherited)]));
    const merged = mergeEnvironments(environments, inherited);
    expect(inheritedBy('workers', merged)).toEqual({
      LOG_LEVEL: 'warn',
      EVENT_LOOP_TIMEOUT_SECONDS: '0',
      NODE_OPTIONS: '--enable-source-maps',
    });
    for (const app of apps) expect(inheritedBy(app, merged)).toEqual(environments[app]);
  });

  it('gives each app what it has alone', () => {
    for (const [app, env] of Object.entries(byApp))
      expect(inheritedBy(app, mergeEnvironments(byApp, {}))).toEqual(env);
  });
});
