import { redactUrl } from '@gangan/protocol';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { apps, environmentOf, maxPoolSizes, nodeFlags, shareConnections } from './app-environment.js';
import { type DataDir, openDataDir } from './data-dir.js';
import { assertPortFree, takeLock } from './lock.js';
import type { Order, Prepared } from './prepare-store.js';
import { RunningApps } from './running-apps.js';
import { readyScreen } from './screen.js';
import { projectRoot, type Settings, StartError, urlOf } from './settings.js';
import { Supervisor } from './supervisor.js';
import { WatchedPostgres } from './watched-postgres.js';

interface Preparation {
  readonly lines: readonly string[];
  readonly prepared?: Prepared;
  readonly failure?: string;
}

/** The whole system on one machine. */
export class System {
  private readonly url: string;
  private readonly stopRequested: Promise<void>;
  private stopRequests = 0;
  private supervisor: Supervisor | undefined;
  private readonly preparation = new AbortController();
  /** Run in reverse order at the end. */
  private readonly cleanups: (() => Promise<void>)[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly env: NodeJS.ProcessEnv,
    private readonly say: (line: string) => void,
  ) {
    this.url = urlOf(settings.host, settings.port);
    this.stopRequested = new Promise((resolve) => {
      const requestStop = (): void => {
        resolve();
        if (++this.stopRequests === 1) return;
        say('Stopping at once');
        this.supervisor?.kill();
      };
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, requestStop);
      // The program that started us has ended.
      process.once('disconnect', requestStop);
    });
  }

  /** Runs until it is asked to stop. */
  async run(): Promise<void> {
    const starting = this.start();
    try {
      await Promise.race([starting, this.stopRequested]);
      await this.stopRequested;
      this.say('Stopping: finishing what has begun (Ctrl-C again stops at once)');
    } finally {
      this.preparation.abort();
      const stopped = this.supervisor?.stop();
      await starting.catch(() => undefined);
      await stopped;
      for (const cleanUp of this.cleanups.reverse()) await cleanUp();
    }
    this.say('Stopped');
  }

  private async start(): Promise<void> {
    const { settings, say } = this;
    const data = await openDataDir(settings.dataDir);
    this.cleanups.push(await takeLock(data.lock, this.url));
    const running = new RunningApps(data.running);
    const orphans = await running.endOrphans();
    if (orphans.length > 0) say(`Ended the apps that an earlier start left running: ${orphans.join(', ')}`);
    await assertPortFree(settings.host, settings.port);

    const prepare = this.startPreparation();
    const databaseUrl = settings.databaseUrl ?? (await this.startPostgres(data));
    this.assertNotStopped();
    say('Preparing the database');
    const prepared = await prepare({
      databaseUrl,
      redisUrl: settings.redisUrl,
      queueKey: settings.queueKey,
      queueKeyFile: data.queueKey,
      otpPepper: settings.otpPepper,
      otpPepperFile: data.otpPepper,
      seed: !settings.production,
    });
    this.assertNotStopped();
    await this.startApps(databaseUrl, prepared, data, running);
    process.stdout.write(this.screen(data, prepared.demoKey));
    process.send?.({ type: 'ready', url: this.url });
  }

  /** Starts the child process that prepares the database. Returns the function that gives it its order. */
  private startPreparation(): (order: Order) => Promise<Prepared> {
    const script = fileURLToPath(new URL('./prepare.js', import.meta.url));
    const { signal } = this.preparation;
    const running = promisify(execFile)(process.execPath, [script], { signal, killSignal: 'SIGKILL' });
    running.catch(() => undefined);
    return async (order) => {
      running.child.stdin?.on('error', () => undefined).end(JSON.stringify(order));
      const { stdout } = await running.catch((error: unknown) => {
        throw new StartError(
          `Preparing the database failed:\n${(error as { stderr?: string }).stderr ?? ''}`,
        );
      });
      const { lines, prepared, failure } = JSON.parse(stdout) as Preparation;
      for (const line of lines) this.say(line);
      if (prepared) return prepared;
      throw new StartError(failure ?? '');
    };
  }

  private async startPostgres(data: DataDir): Promise<string> {
    this.say('Starting Postgres');
    const postgres = await WatchedPostgres.start(data, this.say);
    this.cleanups.push(() => postgres.stop());
    return postgres.url;
  }

  private async startApps(
    databaseUrl: string,
    { queueKey, otpPepper, freeConnections }: Prepared,
    data: DataDir,
    running: RunningApps,
  ): Promise<void> {
    const { databasePoolSize, queuePoolSize, redisUrl } = this.settings;
    const max = {
      database: databasePoolSize ?? maxPoolSizes.database,
      queue: queuePoolSize ?? maxPoolSizes.queue,
    };
    const pools = shareConnections(apps, freeConnections, redisUrl === undefined, max);
    const compileCache = join(projectRoot, 'node_modules', '.cache', 'gangan', 'compiled');
    const facts = { databaseUrl, queueKey, url: this.url, compileCache };
    const supervised = apps.map(({ name, role }) => ({
      name,
      role,
      nodeFlags: nodeFlags[role],
      script: join(projectRoot, 'apps', name, 'dist', 'main.js'),
      env: {
        ...environmentOf(this.env, this.settings, facts, pools.get(name) ?? max),
        // No other app could check tokens against the database.
        ...(name === 'otp' && { OTP_PEPPER: otpPepper }),
      },
      logFile: data.logOf(name),
    }));
    const supervisor = (this.supervisor = new Supervisor(supervised, running, this.say));
    this.cleanups.push(() => supervisor.stop());
    this.say(`Starting ${apps.map(({ name }) => name).join(', ')}`);
    await supervisor.start();
  }

  private assertNotStopped(): void {
    if (this.stopRequests > 0) throw new Error('Stopped before it was ready');
  }

  private screen({ path, logs }: DataDir, demoKey: string | undefined): string {
    const { databaseUrl, redisUrl } = this.settings;
    return readyScreen({
      url: this.url,
      demoKey,
      database: databaseUrl === undefined ? 'embedded Postgres' : `Postgres at ${redactUrl(databaseUrl)}`,
      queue: redisUrl === undefined ? 'in Postgres' : `Redis at ${redactUrl(redisUrl)}`,
      dataDir: path,
      logs: `${logs}/<app>.log`,
      seconds: performance.now() / 1000,
    });
  }
}
