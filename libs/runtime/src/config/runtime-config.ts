import { defineConfig } from './define-config.js';
import {
  airtimeBounds,
  baseUrl,
  bool,
  databaseUrl,
  listenPort,
  redisUrl,
  region,
  sealingKeys,
  str,
  wholeNumber,
} from './validators.js';

const poolSize = wholeNumber({ min: 1, max: 500 });

/** What every app reads. */
export class RuntimeConfig extends defineConfig({
  NODE_ENV: str<'development' | 'production' | 'test'>({
    choices: ['development', 'production', 'test'],
    default: 'development',
    desc: 'In production nothing is simulated and no demo data is seeded',
  }),
  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    desc: 'The least important log lines that are still written',
  }),
  DATABASE_URL: databaseUrl({
    desc: 'The Postgres database where everything is kept',
    example: 'postgresql://gangan:secret@localhost:5432/gangan',
  }),
  DATABASE_POOL_SIZE: poolSize({ default: 6, desc: 'Database connections of one process' }),
  REDIS_URL: redisUrl({
    default: undefined,
    desc: 'The Redis that carries the queues; without it they live in the Postgres database',
    example: 'redis://localhost:6379',
  }),
  QUEUE_POOL_SIZE: poolSize({
    default: 7,
    desc: 'Further database connections of one process for the queues, when they live in Postgres',
  }),
  QUEUE_KEY: sealingKeys({
    desc: 'Seals what travels through the queues; the same in every app. To change it, restart all of them three times: old,new then new,old then new',
    example: 'the output of: openssl rand -base64 32',
  }),
  METRICS_HOST: str({ default: '0.0.0.0', desc: 'The address of the internal port' }),
  METRICS_PORT: listenPort({
    default: 9464,
    desc: 'The internal port with /metrics, /healthz and /readyz; 0 takes a free one',
  }),
  DEFAULT_REGION: region({
    default: 'NG',
    desc: 'The country in which a phone number without a country code is read (ISO 3166)',
  }),
  PUBLIC_URL: baseUrl({
    default: 'http://localhost:3000',
    desc: 'Where the gateway is reached from outside; short links start with it',
  }),
  AIRTIME_BOUNDS: airtimeBounds({
    default: '1-100000',
    desc: 'The least and the most naira of one airtime purchase; networks with others follow: 1-100000,MTN=50-50000',
  }),
  CALLBACK_ALLOW_PRIVATE: bool({
    default: false,
    desc: 'Whether callbacks may go to private and local addresses; for local work only',
  }),
}) {
  get isProduction(): boolean {
    return this.NODE_ENV === 'production';
  }
}

/** What the gateway reads besides. */
export class HttpConfig extends defineConfig({
  HOST: str({ default: '0.0.0.0', desc: 'The address that the gateway listens on' }),
  PORT: listenPort({ default: 3000, desc: 'The port that the gateway listens on; 0 takes a free one' }),
}) {}
