import { redactUrl } from '@gangan/protocol';
import { join } from 'node:path';
import { apps, nodeFlags } from './apps.js';
import { enough, shareConnections } from './connections.js';
import { DataDir } from './data-dir.js';
import { environmentOf } from './environment.js';
import { takeLock } from './lock.js';
import { OwnDatabase } from './own-database.js';
import { assertPortFree } from './port.js';
import { Preparation, type Prepared } from './preparation.js';
import { RunningApps } from './running.js';
import { readyScreen } from './screen.js';
import { projectRoot, type Settings } from './settings.js';
import { StopRequest } from './stop-request.js';
import { Supervisor } from './supervisor.js';
import { urlOf } from './url-of.js';

/** The whole system on one machine, from nothing to ready and back. */
export class System {
  private readonly data: DataDir;
  private readonly url: string;
  private readonly stopRequest: StopRequest;
  private supervisor: Supervisor | undefined;
  private preparation: Preparation | undefined;
  /** What has been started is ended in the opposite order. */
  private readonly endings: (() => Promise<void>)[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly env: NodeJS.ProcessEnv,
    private readonly say: (line: string) => void,
  ) {
    this.data = new DataDir(settings.dataDir);
    this.url = urlOf(settings.host, settings.port);
    this.stopRequest = new StopRequest(() => {
      say('Stopping at once');
      this.supervisor?.kill();
    });
  }

  /** Runs until somebody asks it to stop. */
  async run(): Promise<void> {
    const { asked } = this.stopRequest;
    const starting = this.start();
    try {
      await Promise.race([starting, asked]);
      await asked;
      this.say('Stopping: finishing what has begun (Ctrl-C again stops at once)');
    } finally {
      await this.end(starting);
    }
    this.say('Stopped');
  }

  private async start(): Promise<void> {
    await this.data.make();
    this.endings.push(await takeLock(this.data.lock, this.url));
    const running = new RunningApps(this.data.running);
    const orphans = await running.endOrphans();
    if (orphans.length > 0) this.say(`Ended what an earlier start had left running: ${orphans.join(', ')}`);
    await assertPortFree(this.settings.host, this.settings.port);

    this.preparation = new Preparation(this.say);
    const databaseUrl = this.settings.databaseUrl ?? (await this.startDatabase());
    this.proceed();
    this.say('Preparing the database');
    const prepared = await this.preparation.run({
      databaseUrl,
      redisUrl: this.settings.redisUrl,
      queueKey: this.settings.queueKey,
      queueKeyFile: this.data.queueKey,
      otpPepper: this.settings.otpPepper,
      otpPepperFile: this.data.otpPepper,
      seed: !this.settings.production,
    });
    this.proceed();
    await this.startApps(databaseUrl, prepared, running);
    process.stdout.write(this.screen(prepared));
    process.send?.({ type: 'ready', url: this.url });
  }

  private async startDatabase(): Promise<string> {
    this.say('Starting Postgres');
    const database = await OwnDatabase.start(this.data, this.say);
    this.endings.push(() => database.stop());
    return database.url;
  }

  private async startApps(databaseUrl: string, prepared: Prepared, running: RunningApps): Promise<void> {
    const { databasePoolSize, queuePoolSize, redisUrl } = this.settings;
    const most = { database: databasePoolSize ?? enough.database, queue: queuePoolSize ?? enough.queue };
    const pools = shareConnections(apps, prepared.freeConnections, redisUrl === undefined, most);
    const compileCache = join(projectRoot, 'node_modules', '.cache', 'gangan', 'compiled');
    const facts = { databaseUrl, queueKey: prepared.queueKey, url: this.url, compileCache };
    const supervisor = new Supervisor(
      apps.map(({ name, role }) => ({
        name,
        role,
        nodeFlags: nodeFlags[role],
        script: join(projectRoot, 'apps', name, 'dist', 'main.js'),
        env: {
          ...environmentOf(this.env, this.settings, facts, pools.get(name) ?? { database: 1, queue: 1 }),
          // Whoever could read the database of another app could still not try tokens.
          ...(name === 'otp' && { OTP_PEPPER: prepared.otpPepper }),
        },
        logFile: this.data.logOf(name),
      })),
      running,
      this.say,
    );
    this.supervisor = supervisor;
    this.endings.push(() => supervisor.stop());
    this.say(`Starting ${apps.map(({ name }) => name).join(', ')}`);
    await supervisor.start();
  }

  private proceed(): void {
    if (this.stopRequest.made) throw new Error('Stopped before it was ready');
  }

  private async end(starting: Promise<void>): Promise<void> {
    this.preparation?.cancel();
    const stopped = this.supervisor?.stop();
    await starting.catch(() => undefined);
    await stopped;
    for (const ending of this.endings.reverse()) await ending();
  }

  private screen({ demoKey }: Prepared): string {
    const { databaseUrl, redisUrl } = this.settings;
    return readyScreen({
      url: this.url,
      demoKey,
      database: databaseUrl === undefined ? 'our own Postgres' : `Postgres at ${redactUrl(databaseUrl)}`,
      queue: redisUrl === undefined ? 'in Postgres' : `Redis at ${redactUrl(redisUrl)}`,
      dataDir: this.data.path,
      logs: `${this.data.logs}/<app>.log`,
      seconds: performance.now() / 1000,
    });
  }
}
