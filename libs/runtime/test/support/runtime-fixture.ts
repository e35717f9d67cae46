import { migrate } from '@gangan/storage';
import {
  deriveQueueKeys,
  MasterKeys,
  migrateQueue,
  newQueueKey,
  type QueueConnection,
  Queues,
} from '@gangan/queue';
import { appVariable } from '@gangan/protocol';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { join } from 'node:path';
import { buildApps } from './build-apps.js';
import { echo, echoOf, shout } from './contracts.js';
import { EchoClient } from './echo-client.js';
import { RunningApp } from './running-app.js';

/** A real database with everything in it that an app needs, and the apps that a test started. */
export class RuntimeFixture {
  private readonly apps: RunningApp[] = [];
  private readonly queueKey = newQueueKey();
  /** Of the apps that `test/apps` contains, by the variable of each. */
  private readonly queueKeys = Object.fromEntries(
    ['gateway', 'echo', 'shout', 'deaf', 'hanging'].map((app) => [
      appVariable(app, 'QUEUE_KEYS'),
      deriveQueueKeys([this.queueKey], app, [echo, shout, echoOf('deaf'), echoOf('hanging')]),
    ]),
  );

  private constructor(
    readonly postgres: TestDatabase,
    private readonly builtApps: string,
  ) {}

  static async create(): Promise<RuntimeFixture> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    return new RuntimeFixture(postgres, await buildApps());
  }

  start(app: string, environment: NodeJS.ProcessEnv = {}): RunningApp {
    const running = new RunningApp(join(this.builtApps, `${app}.js`), {
      DATABASE_URL: this.postgres.url,
      ...this.queueKeys,
      PORT: '0',
      ...environment,
    });
    this.apps.push(running);
    return running;
  }

  async openClient(redisUrl?: string): Promise<EchoClient> {
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const connection: QueueConnection =
      redisUrl === undefined
        ? { kind: 'postgres', url: this.postgres.url, poolSize: 3 }
        : { kind: 'redis', url: redisUrl };
    const settings = { connection, app: 'gateway', keys: new MasterKeys([this.queueKey]) };
    return new EchoClient(await Queues.open(settings, 'producer', quiet));
  }

  async endApps(): Promise<void> {
    await Promise.all(this.apps.splice(0).map((app) => app.end()));
  }

  async end(): Promise<void> {
    await this.endApps();
    await this.postgres.drop();
  }
}
