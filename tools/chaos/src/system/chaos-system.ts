import { Database } from '@gangan/database';
import { type AppName, appNames } from '@gangan/protocol';
import { createAppLogins, grantRoles, migrate, perApp } from '@gangan/storage';
import { migrateQueue, newQueueKey, queueGrants } from '@gangan/queue';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import {
  type BrokerKind,
  CleanUp,
  freePort,
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
import { LoadBalancer, shutdownDelaySeconds } from './load-balancer.js';
import { createOrganisations, type Organisation } from './organisations.js';

export interface SystemOptions {
  readonly queue: BrokerKind;
  /** Processes of each app. */
  readonly workers: number;
  readonly organisations: number;
  /** Whether Postgres gets a small disk of its own. */
  readonly smallDisk: boolean;
  /** Whether clients reach the gateways through HAProxy, and no proxy is between the apps and Postgres. */
  readonly behindLoadBalancer: boolean;
  /** Ends `start` and `untilReady` early. */
  readonly interrupted: AbortSignal;
}

type Processes = Pick<SystemOptions, 'workers' | 'behindLoadBalancer'>;

function countOf(app: AppName, { workers, behindLoadBalancer }: Processes): number {
  if (behindLoadBalancer) return app === 'gateway' ? Math.max(workers, 2) : workers;
  // Clients hardly use it.
  return app === 'lookup' ? 1 : workers;
}

/** Such as `gateway-1` and `messaging-2`. */
export const processNames = (processes: Processes): string[] =>
  appNames.flatMap((app) =>
    Array.from({ length: countOf(app, processes) }, (_, index) => `${app}-${index + 1}`),
  );

/** On two busy cores, the start of two runs at once takes minutes. */
const startTimeoutMs = 300_000;
const haproxy = 'haproxy';
const postgresSettings = { max_connections: '400', max_wal_size: '128MB', min_wal_size: '64MB' };

/** The real system as processes: Postgres and Redis, the apps through proxies, and organisations. */
export class ChaosSystem {
  readonly folder: string;
  readonly organisations: Organisation[] = [];
  readonly processes: AppProcess[] = [];
  postgres!: TestPostgres;
  redis: TestRedis | undefined;
  disk: Disk | undefined;
  /** Directly, not through a proxy. */
  database!: Database;
  /** Between clients and each gateway. */
  readonly clients: TcpProxy[] = [];
  private loadBalancer: LoadBalancer | undefined;
  private readonly cleanUp: CleanUp;
  private readonly ends: (() => unknown)[] = [];
  private closed: Promise<void> | undefined;

  private constructor(
    folder: string,
    private readonly options: SystemOptions,
  ) {
    this.folder = folder;
    const names = [...processNames(options), haproxy];
    this.cleanUp = new CleanUp(
      folder,
      names.map((name) => this.pidFileOf(name)),
      'KILL',
    );
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
    this.organisations.push(
      ...(await createOrganisations(this.database, masterSealer([dataMasterKey]), {
        count,
        isRateLimited: !behindLoadBalancer,
      })),
    );
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
      const app = name.replace(/-\d+$/, '') as AppName;
      const database = await this.proxy(this.postgres.port);
      const gatewayPort = app === 'gateway' ? await freePort() : 0;
      if (app === 'gateway') {
        gatewayPorts.push(gatewayPort);
        this.clients.push(await this.proxy(gatewayPort));
      }
      const databaseUrl = behindLoadBalancer ? databaseUrls[app] : database.urlOf(databaseUrls[app]);
      const env = appEnvironment(app, databaseUrl, { ...shared, gatewayPort });
      const process = new AppProcess({
        name,
        app,
        env,
        database,
        pidFile: this.pidFileOf(name),
        logFile: join(this.folder, 'logs', `${name}.log`),
      });
      this.processes.push(process);
      this.ends.push(() => process.close());
      process.launch();
    }
    await this.untilReady();
    if (!behindLoadBalancer) return;
    const balancer = await LoadBalancer.start(this.folder, gatewayPorts, this.pidFileOf(haproxy));
    this.loadBalancer = balancer;
    this.ends.push(() => balancer.close());
  }

  /** The ports that clients use in turn. */
  get clientPorts(): number[] {
    return this.loadBalancer ? [this.loadBalancer.port] : this.clients.map(({ port }) => port);
  }

  processNamed(name: string): AppProcess {
    const found = this.processes.find((process) => process.name === name);
    if (!found) throw new Error(`There is no process ${name}`);
    return found;
  }

  /** Waits until every process is ready. */
  async untilReady(): Promise<void> {
    const isReady = (): boolean => {
      this.options.interrupted.throwIfAborted();
      return this.processes.every((process) => process.isReady);
    };
    await until('every process is ready', isReady, {
      timeoutMs: startTimeoutMs,
      details: () =>
        this.processes
          .filter((process) => !process.isReady)
          .map(
            (process) =>
              `${process.name} is not ready after ${process.starts} starts: ${process.lastLogLine()}`,
          )
          .join('\n'),
    });
  }

  copyLogs(to: string): void {
    cpSync(join(this.folder, 'logs'), to, { recursive: true });
  }

  /** Ends all processes and removes the folder. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
    await this.cleanUp.done();
  }

  private async startServers(): Promise<void> {
    const { queue, smallDisk } = this.options;
    if (smallDisk) {
      const disk = (this.disk = Disk.mount(join(this.folder, 'disk')));
      this.ends.push(() => {
        disk.unmount();
      });
    }
    this.postgres = await startPostgres(postgresSettings, this.disk?.path);
    this.ends.push(() => this.postgres.stop());
    if (queue === 'redis') {
      const settings = { 'maxmemory-policy': 'noeviction' };
      const redis = (this.redis = await startRedis({ appendOnly: true, settings }));
      this.ends.push(() => redis.stop());
    }
  }

  /** Migrates, and creates a database user for each app, as in production. */
  private async prepareDatabase(): Promise<Readonly<Record<AppName, string>>> {
    const { url } = this.postgres;
    await migrate(url);
    if (!this.redis) await migrateQueue(url);
    await grantRoles(url, this.redis ? undefined : queueGrants);
    this.database = new Database({ url, poolSize: 4, statementTimeoutMs: 60_000, allowScans: true });
    this.ends.push(() => this.database.close());
    return createAppLogins(
      url,
      perApp(() => randomBytes(24).toString('base64url')),
    );
  }

  private async proxy(port: number): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(port);
    this.ends.push(() => proxy.close());
    return proxy;
  }

  private pidFileOf(name: string): string {
    return join(this.folder, `${name}.pid`);
  }
}
