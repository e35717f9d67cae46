import type { AddressInfo } from 'node:net';
import { allContracts, type ContractVariables } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { AppKeys, deriveQueueKeys, QueueClient, type QueueConnection, Queues } from '@gangan/queue';
import { AppLogger, PeriodicTasksModule, Health, Registry, RuntimeConfig } from '@gangan/runtime';
import { configFor, createTestModule, type InjectedValue, until, valueFor } from '@gangan/testing';
import { Module, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayConfig } from '../../src/gateway.config.js';
import { GatewayModule } from '../../src/gateway.module.js';
import { configureHttp } from '../../src/configure-http.js';
import { serverOptions } from '../../src/http/server-options.js';
import { type Answer, call, type Call, raw } from './http.js';
import { RecordingLogger } from './recording-logger.js';

export interface GatewayOptions {
  readonly databaseUrl: string;
  /** The master key of the queues. */
  readonly queueKey: string;
  /** Of version 0.2. */
  readonly earlierQueueKey?: string;
  /** Of the queues; in the database if absent. */
  readonly redisUrl?: string | undefined;
  readonly module?: Type;
  readonly environment?: RuntimeConfig['NODE_ENV'];
  readonly requestTimeoutMs?: number;
  readonly stallTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly discardedBytesPerSecond?: number;
  readonly uploadRateIntervalMs?: number;
  /** By default every request is logged. */
  readonly maxRepeatedLines?: number;
  readonly trustedProxies?: string;
  readonly debugToken?: string;
  readonly limits?: Partial<typeof withoutLimits & ContractVariables>;
  /** Replaces providers of the gateway. */
  readonly replaced?: readonly InjectedValue[];
}

/** Most tests do not concern limits, and may run on a slow machine. */
const withoutLimits = {
  RATE_LIMIT_PER_SECOND: 0,
  RATE_LIMIT_BURST: 200,
  RATE_LIMIT_KEY_PERCENT: 100,
  INBOUND_RATE_PER_SECOND: 10_000,
  MAX_REQUESTS_IN_PROGRESS: 100_000,
  MAX_REQUESTS_IN_PROGRESS_PER_ORGANISATION: 100_000,
  MAX_UPLOADS_PER_ORGANISATION: 4,
  MAX_EVENT_LOOP_DELAY_MS: 0,
  MAX_BYTES_IN_PROGRESS: 1_073_741_824,
  MAX_CONNECTIONS: 100_000,
  MAX_CONNECTIONS_PER_ADDRESS: 100_000,
  CONTACT_IMPORT_MAX_BYTES: 2_000_000,
  CONTACT_IMPORT_TIMEOUT_MS: 600_000,
  CONTACT_IMPORT_MIN_BYTES_PER_SECOND: 10,
  DATABASE_MAX_BYTES: undefined as number | undefined,
};

const contractDefaults = { DEFAULT_REGION: 'NG', AIRTIME_BOUNDS: '1-100000', CALLBACK_ALLOW_PRIVATE: false };

export const queueConnection = (databaseUrl: string, redisUrl: string | undefined): QueueConnection =>
  redisUrl === undefined
    ? { kind: 'postgres', url: databaseUrl, poolSize: 4 }
    : { kind: 'redis', url: redisUrl };

/** The keys of the gateway. */
export function queueKeysOf(masterKey: string): AppKeys {
  const keys = AppKeys.parse(deriveQueueKeys([masterKey], 'gateway', allContracts));
  if (!keys) throw new Error('The derived keys are not readable');
  return keys;
}

/** The whole gateway on a free port, in this process. */
export class RunningGateway {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly queues: Queues,
    readonly log: RecordingLogger,
    readonly health: Health,
  ) {}

  static async start(options: GatewayOptions): Promise<RunningGateway> {
    const log = new RecordingLogger();
    const health = new Health();
    const connection = queueConnection(options.databaseUrl, options.redisUrl);
    const keys = queueKeysOf(options.queueKey);
    const settings = { connection, app: 'gateway', keys, tuning: { limitTimeoutMs: 20_000 } };
    const queues = await Queues.open(settings, 'producer', log);
    const config = configFor(GatewayConfig, {
      ...contractDefaults,
      SEAL_MESSAGES: false,
      REQUEST_TIMEOUT_MS: options.requestTimeoutMs ?? 12_000,
      TRUSTED_PROXIES: options.trustedProxies,
      DEBUG_TOKEN: options.debugToken,
      QUEUE_KEY: options.earlierQueueKey === undefined ? undefined : [options.earlierQueueKey],
      ...withoutLimits,
      ...options.limits,
    });

    @Module({ imports: [PeriodicTasksModule, options.module ?? GatewayModule] })
    class TestModule {}

    const module = await createTestModule(TestModule, [
      valueFor(Database, new Database({ url: options.databaseUrl, poolSize: 3 })),
      valueFor(AppLogger, log),
      valueFor(Health, health),
      valueFor(Registry, new Registry()),
      valueFor(Queues, queues),
      valueFor(QueueClient, queues.client),
      config,
      configFor(RuntimeConfig, {
        NODE_ENV: options.environment ?? 'test',
        QUEUE_KEYS: keys,
        PUBLIC_URL: 'http://localhost:3000',
      }),
      ...(options.replaced ?? []),
    ]);
    const adapter = new FastifyAdapter({
      return503OnClosing: false,
      ...serverOptions(module.get(GatewayConfig)),
    });
    const app = module.createNestApplication<NestFastifyApplication>(adapter, {
      logger: false,
      abortOnError: false,
    });
    const gateway = new RunningGateway(app, queues, log, health);
    try {
      await configureHttp(app, { maxRepeatedLines: Infinity, ...options });
      await app.listen(0, '127.0.0.1');
      await until('the queue responds', () =>
        queues.ping().then(
          () => true,
          () => false,
        ),
      );
    } catch (error) {
      await gateway.stop();
      throw error;
    }
    return gateway;
  }

  get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  /** A provider of the gateway, to inspect or to spy on. */
  part<T>(type: Type<T>): T {
    return this.app.get(type);
  }

  call(request: Call): Promise<Answer> {
    return call(this.port, request);
  }

  raw(bytes: string, rest?: string): Promise<string> {
    return raw(this.port, bytes, rest);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.queues.client.close();
    await this.queues.close();
  }
}
