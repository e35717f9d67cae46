import { fileVariable } from '@gangan/protocol';
import { type ConfigSpec, defineConfig, type Variable } from './define-config.js';
import {
  baseUrl,
  bool,
  databaseUrl,
  listenHosts,
  listenPort,
  redisUrl,
  queueKeys,
  secret,
  str,
  wholeNumber,
} from './validators.js';

const poolSize = wholeNumber({ min: 1, max: 500 });

const processVariables = {
  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    desc: 'The lowest level of log lines that are written',
  }),
  METRICS_HOST: listenHosts({
    default: '127.0.0.1',
    desc: 'Addresses of the internal port; 10.0.0.0/8 stands for the one in that network. The image sets 0.0.0.0',
  }),
  METRICS_PORT: listenPort({
    default: 9464,
    desc: 'The internal port with /metrics, /healthz and /readyz; 0 uses a free one',
  }),
  EVENT_LOOP_TIMEOUT_SECONDS: wholeNumber({ min: 0, max: 3_600 })({
    default: 10,
    desc: 'Seconds of a blocked event loop after which the process ends itself with exit code 70; 0 disables the check',
  }),
};

/** What a process needs by itself, for any number of apps. */
export class ProcessConfig extends defineConfig(processVariables) {}

/** The variables that every app reads. */
export class RuntimeConfig extends defineConfig({
  NODE_ENV: str<'development' | 'production' | 'test'>({
    choices: ['development', 'production', 'test'],
    default: 'development',
    desc: 'In production the demo key does not work, no demo data is seeded and SIMULATE_LIVE is refused',
  }),
  SIMULATE_LIVE: bool({
    default: false,
    desc: 'Whether the simulator serves live organisations too: wallets are charged and nothing is sent; refused in production',
  }),
  LOG_LEVEL: processVariables.LOG_LEVEL,
  DATABASE_URL: secret(
    databaseUrl({
      desc: 'The Postgres database',
      example: 'postgresql://gangan:secret@localhost:5432/gangan',
    }),
  ),
  DATABASE_POOL_SIZE: poolSize({ default: 6, desc: 'Database connections of one app' }),
  REDIS_URL: secret(
    redisUrl({
      default: undefined,
      desc: 'The Redis that runs the queues; without it they run in the Postgres database',
      example: 'redis://localhost:6379',
    }),
  ),
  QUEUE_POOL_SIZE: poolSize({
    default: 7,
    desc: 'Additional database connections of one app for the queues, if they run in Postgres',
  }),
  QUEUE_KEYS: secret(
    queueKeys({
      desc: 'The keys of this app for what it sends and receives through the queues. They replace the QUEUE_KEY of version 0.2',
      example: 'the output of: pnpm admin queues keys --app <app>',
    }),
  ),
  METRICS_HOST: processVariables.METRICS_HOST,
  METRICS_PORT: processVariables.METRICS_PORT,
  EVENT_LOOP_TIMEOUT_SECONDS: processVariables.EVENT_LOOP_TIMEOUT_SECONDS,
  PUBLIC_URL: baseUrl({
    default: 'http://localhost:3000',
    desc: 'The public address of the gateway; short links, and the addresses to which providers report, start with it',
  }),
}) {
  static override conflicts({ isProduction, SIMULATE_LIVE }: RuntimeConfig): Record<string, string> {
    return isProduction && SIMULATE_LIVE
      ? { SIMULATE_LIVE: 'must not be true with NODE_ENV=production: live customers would pay for nothing' }
      : {};
  }

  get isProduction(): boolean {
    return this.NODE_ENV === 'production';
  }
}

export class HttpConfig extends defineConfig({
  HOST: str({ default: '0.0.0.0', desc: 'The address that the gateway listens on' }),
  PORT: listenPort({ default: 3000, desc: 'The port that the gateway listens on; 0 uses a free one' }),
  // With the longest deadline of a request, 20 s, the gateway still stops in time.
  SHUTDOWN_DELAY_SECONDS: wholeNumber({ min: 0, max: 8 })({
    default: 0,
    desc: 'Seconds for which the gateway still serves requests after SIGTERM, while /readyz responds 503',
  }),
}) {}

/** The variables of the runtime, then those of the given apps: the rows of the tables in docs/operate/configuration.md. */
export const describeVariables = (...apps: readonly ConfigSpec[]) =>
  [RuntimeConfig, HttpConfig, ...apps].flatMap((config: ConfigSpec) =>
    Object.entries(config.variables).map(([name, spec]) => ({
      name,
      default: defaultOf(spec),
      meaning: meaningOf(name, spec),
    })),
  );

function meaningOf(name: string, { desc = '', choices, secret }: Variable): string {
  if (secret) return `${desc} (or ${fileVariable(name)})`;
  return choices ? `${desc} (${choices.join(', ')})` : desc;
}

/** As it is written in the environment, `required`, or empty for an optional variable. */
function defaultOf(spec: Variable): string {
  if (!('default' in spec)) return 'required';
  return spec.default === undefined ? '' : JSON.stringify(spec.default).replace(/^"|"$/g, '');
}
