import { assertListenable, startEmbeddedPostgres } from '@gangan/embedded-postgres';
import { appVariable, describeError, inheritedBy, redactUrl } from '@gangan/protocol';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentOf, withoutKeys } from './apps/app-environment.js';
import { type AppName, apps } from './apps/apps.js';
import { processesOf } from './apps/processes.js';
import { type DataDir, openDataDir, takeLock } from './data/data-dir.js';
import type { Order, Prepared } from './data/prepare-store.js';
import { endOrphans } from './apps/running-apps.js';
import { readyScreen } from './screen.js';
import { shareConnections } from './apps/share-connections.js';
import { projectRoot, type Settings, StartError, urlOf } from './settings.js';
import { Supervisor } from './apps/supervisor.js';
import { watchPostgres } from './data/watch-postgres.js';

/** The whole system on one machine. */
export class System {
  private readonly url: string;
  private readonly env: NodeJS.ProcessEnv;
  private readonly stopping = new AbortController();
  private readonly stopRequested = once(this.stopping.signal, 'abort');
  private supervisor: Supervisor | undefined;
  /** Run in reverse order at the end. */
  private readonly cleanups: (() => Promise<void>)[] = [];

  constructor(
    private readonly settings: Settings,
    env: NodeJS.ProcessEnv,
    private readonly say: (line: string) => void,
  ) {
    this.env = withoutKeys(env);
    this.url = urlOf(settings.host, settings.port);
    const requestStop = (): void => {
      const isFirst = !this.stopping.signal.aborted;
      say(isFirst ? 'Stopping: finishing what has begun (Ctrl-C again stops at once)' : 'Stopping at once');
      if (isFirst) this.stopping.abort();
      else this.supervisor?.kill();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, requestStop);
    // The program that started us has ended.
    process.once('disconnect', requestStop);
  }

  /** Runs until it is asked to stop. */
  async run(): Promise<void> {
    try {
      await this.start();
      await this.stopRequested;
    } catch (error) {
      if (!this.stopping.signal.aborted) throw error;
    } finally {
      for (const cleanUp of this.cleanups.reverse()) await cleanUp();
    }
    this.say('Stopped');
  }

  private async start(): Promise<void> {
    const { settings, say, url } = this;
    const { signal } = this.stopping;
    const data = await openDataDir(settings.dataDir, settings.databaseUrl === undefined);
    this.cleanups.push(await takeLock(data.lock, url));
    const orphans = await endOrphans(data.runningApps);
    if (orphans.length > 0) say(`Ended the apps that an earlier start left running: ${orphans.join(', ')}`);
    await assertPortFree(settings);

    const prepare = this.startPreparation();
    const databaseUrl = settings.databaseUrl ?? (await this.startPostgres(data));
    signal.throwIfAborted();
    say('Preparing the database');
    const prepared = await prepare({
      ...settings,
      databaseUrl,
      embedded: settings.databaseUrl === undefined,
    });
    signal.throwIfAborted();
    const supervisor = this.supervise(prepared, data);
    const mode = settings.compact ? ', with all workers in one process' : '';
    say(`Starting ${apps.map(({ name }) => name).join(', ')}${mode}`);
    await Promise.race([supervisor.start(), this.stopRequested]);
    signal.throwIfAborted();
    const parts = {
      Database: settings.databaseUrl ? `Postgres at ${redactUrl(databaseUrl)}` : 'embedded Postgres',
      Queue: settings.redisUrl ? `Redis at ${redactUrl(settings.redisUrl)}` : 'in Postgres',
      Data: data.path,
      Logs: data.logOf(settings.compact ? '{gateway,workers}' : '<app>'),
    };
    process.stdout.write(readyScreen(url, prepared.demoKey, parts, performance.now() / 1000));
    process.send?.({ type: 'ready', url });
  }

  /** Starts the child process that prepares the database. Returns the function that gives it its order. */
  private startPreparation(): (order: Order) => Promise<Prepared> {
    const script = join(projectRoot, 'tools', 'start', 'dist', 'prepare.js');
    const options = { signal: this.stopping.signal, killSignal: 'SIGKILL' } as const;
    const running = promisify(execFile)(process.execPath, [script], options);
    running.catch(() => undefined);
    return async (order) => {
      running.child.stdin?.on('error', () => undefined).end(JSON.stringify(order));
      const { stdout } = await running.catch((error: unknown) => {
        const { stderr = '' } = error as { stderr?: string };
        throw new StartError(`Preparing the database failed:\n${stderr}`);
      });
      const result = JSON.parse(stdout) as { lines: string[]; prepared?: Prepared; failure?: string };
      for (const line of result.lines) this.say(line);
      if (result.prepared) return result.prepared;
      throw new StartError(result.failure);
    };
  }

  private async startPostgres(data: DataDir): Promise<string> {
    this.say('Starting Postgres');
    const server = await startEmbeddedPostgres({
      dataDir: data.postgres,
      logFile: data.logOf('postgres'),
      log: this.say,
      // Enough for seven processes with two pools each, heartbeats and replies.
      settings: { max_connections: '160' },
    }).catch((cause: unknown) => {
      throw new StartError(describeError(cause), { cause });
    });
    this.cleanups.push(watchPostgres(server, this.say));
    return server.url;
  }

  private supervise(prepared: Prepared, data: DataDir): Supervisor {
    const { maxPoolSizes, redisUrl, compact, databaseUrl: givenUrl } = this.settings;
    const embedded = givenUrl === undefined ? { databaseFolder: data.postgres } : {};
    const pools = shareConnections(prepared.freeConnections, redisUrl === undefined, maxPoolSizes);
    const compileCache = join(projectRoot, 'node_modules', '.cache', 'gangan', 'compiled');
    const { databaseUrls, queueKeys, earlierQueueKey, dataKeys, otpPepper } = prepared;
    const environment = (app: AppName): NodeJS.ProcessEnv => {
      const databaseUrl = this.env[appVariable(app, 'DATABASE_URL')]?.trim() || databaseUrls[app];
      const shared = { databaseUrl, queueKeys: queueKeys[app], url: this.url, compileCache, ...embedded };
      return {
        ...environmentOf(inheritedBy(app, this.env), this.settings, shared, pools.get(app) ?? maxPoolSizes),
        ...inheritedBy(app, {
          DATA_KEYS: dataKeys[app],
          OTP_PEPPER: otpPepper,
          ...(earlierQueueKey !== undefined && { QUEUE_KEY: earlierQueueKey }),
        }),
      };
    };
    const processes = processesOf(compact, environment, data.logOf, this.env);
    const supervisor = (this.supervisor = new Supervisor(processes, data.runningApps, this.say));
    this.cleanups.push(() => supervisor.stop());
    return supervisor;
  }
}

/** Checks the gateway's port before anything is started. */
async function assertPortFree({ host, port }: Settings): Promise<void> {
  try {
    await assertListenable(port, host);
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const fault = isTaken ? 'is taken by another program' : `cannot be used (${describeError(cause)})`;
    const advice = `Stop that program, or choose another port: PORT=${port + 1} npx --yes pnpm@12 start`;
    throw new StartError(`Port ${port} ${fault}. ${advice}`, { cause });
  }
}
