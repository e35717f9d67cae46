import { Database } from '@gangan/database';
import type { AppName } from '@gangan/protocol';
import { createAppLogins, grantRoles, migrate, perApp } from '@gangan/storage';
import { migrateQueue, newQueueKey, queueGrants } from '@gangan/queue';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import {
  type BrokerKind,
  CleanUp,
  freePort,
  LoadBalancer,
  Resources,
  shutdownDelaySeconds,
  startPostgres,
  startRedis,
  TcpProxy,
  type TestPostgres,
  type TestRedis,
  until,
} from '@gangan/testing';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appEnvironment } from './app-environment.js';
import { AppProcess } from './app-process.js';
import { Disk } from './disk.js';
import { createOrganisations, type Organisation } from './organisations.js';
import { appOf, type Processes, processNames } from './process-names.js';

export interface SystemOptions extends Processes {
  readonly queue: BrokerKind;
  readonly organisations: number;
  /** Whether Postgres gets a small disk of its own. */
  readonly smallDisk: boolean;
  /** Ends `start` and `untilReady` early. */
  readonly interrupted: AbortSignal;
}

/** On two busy cores, the start of two runs at once takes minutes. */
const startTimeoutMs = 300_000;
const postgresSettings = { max_connections: '400', max_wal_size: '128MB', min_wal_size: '64MB' };

/** The real system as processes: Postgres and Redis, the apps through proxies, and organisations. */
export class ChaosSystem {
  readonly processes: AppProcess[] = [];
  organisations: readonly Organisation[] = [];
  postgres!: TestPostgres;
  redis: TestRedis | undefined;
  disk: Disk | undefined;
  /** Directly, not through a proxy. */
  database!: Database;
  /** Between clients and each gateway. */
  readonly clients: TcpProxy[] = [];
  /** The ports that clients use in turn. */
  clientPorts: readonly number[] = [];
  private readonly resources = new Resources();

  private constructor(
    private readonly folder: string,
    private readonly options: SystemOptions,
  ) {
    const pidFiles = processNames(options).map((name) => this.pidFileOf(name));
    const cleanUp = new CleanUp(folder, pidFiles, 'KILL');
    this.resources.atEnd(() => cleanUp.done());
  }

  /** Call `start` next, and `close` in any case. */
  static async create(options: SystemOptions): Promise<ChaosSystem> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-chaos-'));
    // The user of Postgres has to enter it.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'logs'));
    return new ChaosSystem(folder, options);
  }

  async start(): Promise<void> {
    const { interrupted, organisations: count, behindLoadBalancer } = this.options;
    await this.startServers();
    interrupted.throwIfAborted();
    const databaseUrls = await this.prepareDatabase();
    const dataMasterKey = newSealingKey();
    const sealer = masterSealer([dataMasterKey]);
    const isRateLimited = !behindLoadBalancer;
    this.organisations = await createOrganisations(this.database, sealer, { count, isRateLimited });
    const shared = {
      redisUrl: this.redis?.url,
      queueMasterKey: newQueueKey(),
      dataMasterKey,
      otpPepper: randomBytes(32).toString('base64'),
      shutdownDelaySeconds: behindLoadBalancer ? shutdownDelaySeconds : 0,
    };
    const gatewayPorts: number[] = [];
    for (const name of processNames(this.options)) {
      interrupted.throwIfAborted();
      const app = appOf(name) as AppName;
      const database = await this.proxy(this.postgres.port);
      const gatewayPort = app === 'gateway' ? await freePort() : 0;
      if (app === 'gateway') {
        gatewayPorts.push(gatewayPort);
        this.clients.push(await this.proxy(gatewayPort));
      }
      const databaseUrl = behindLoadBalancer ? databaseUrls[app] : database.urlOf(databaseUrls[app]);
      const env = appEnvironment(app, databaseUrl, { ...shared, gatewayPort });
      const [pidFile, logFile] = [this.pidFileOf(name), this.logFileOf(name)];
      const process = new AppProcess({ name, app, env, database, pidFile, logFile });
      this.processes.push(process);
      this.resources.atEnd(() => process.close());
      process.launch();
    }
    await this.untilReady();
    this.clientPorts = behindLoadBalancer
      ? [this.resources.keep(await LoadBalancer.start(gatewayPorts, this.logFileOf('haproxy'))).port]
      : this.clients.map(({ port }) => port);
  }

  processNamed(name: string): AppProcess {
    const found = this.processes.find((process) => process.name === name);
    if (!found) throw new Error(`There is no process ${name}`);
    return found;
  }

  /** Waits until every process is ready. */
  async untilReady(): Promise<void> {
    const missing = (): AppProcess[] => {
      this.options.interrupted.throwIfAborted();
      return this.processes.filter(({ isReady }) => !isReady);
    };
    const describe = (process: AppProcess): string =>
      `${process.name} is not ready after ${process.starts} starts: ${process.lastLogLine()}`;
    await until('every process is ready', () => missing().length === 0, {
      timeoutMs: startTimeoutMs,
      details: () => missing().map(describe).join('\n'),
    });
  }

  copyLogs(to: string): void {
    cpSync(join(this.folder, 'logs'), to, { recursive: true });
  }

  /** Ends all processes and removes the folder. */
  close(): Promise<void> {
    return this.resources.close();
  }

  private async startServers(): Promise<void> {
    const { queue, smallDisk } = this.options;
    if (smallDisk) {
      const disk = (this.disk = Disk.mount(join(this.folder, 'disk')));
      this.resources.atEnd(() => {
        disk.unmount();
      });
    }
    this.postgres = this.resources.keep(await startPostgres(postgresSettings, this.disk?.path));
    const settings = { 'maxmemory-policy': 'noeviction' };
    if (queue === 'redis') this.redis = this.resources.keep(await startRedis({ appendOnly: true, settings }));
  }

  /** Migrates, and creates a database user for each app, as in production. */
  private async prepareDatabase(): Promise<Readonly<Record<AppName, string>>> {
    const { url } = this.postgres;
    await migrate(url);
    if (!this.redis) await migrateQueue(url);
    await grantRoles(url, this.redis ? undefined : queueGrants);
    const database = new Database({ url, poolSize: 4, statementTimeoutMs: 60_000, allowScans: true });
    this.database = database;
    this.resources.atEnd(() => database.close());
    return createAppLogins(
      url,
      perApp(() => randomBytes(24).toString('base64url')),
    );
  }

  private async proxy(port: number): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(port);
    this.resources.atEnd(() => proxy.close());
    return proxy;
  }

  private pidFileOf(name: string): string {
    return join(this.folder, `${name}.pid`);
  }

  private logFileOf(name: string): string {
    return join(this.folder, 'logs', `${name}.log`);
  }
}
