import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { topUp } from '@gangan/billing';
import { createAccount, Database, issueKey, migrate, setLimits, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { migrateQueue, newQueueKey } from '@gangan/queue';
import { startPostgres, startRedis, type TestPostgres, type TestRedis } from '@gangan/testing';
import type { OtpOptions } from './otp-options.js';

const appOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../apps/${name}/dist/main.js`, import.meta.url));
const directServer = fileURLToPath(new URL('direct-server.js', import.meta.url));
const careful = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };
const plenty = 1_000_000_000_000n;

/** A system with gateway and otp worker, and beside it the direct way on the same database. */
export class OtpRun {
  private readonly children: ChildProcess[] = [];
  private closed?: Promise<void>;
  readonly ports = { system: 0, direct: 0 };
  key = '';
  private organisationId = '';

  private constructor(
    private readonly postgres: TestPostgres,
    private readonly redis: TestRedis | undefined,
    private readonly database: Database,
  ) {}

  static async start({ on }: OtpOptions): Promise<OtpRun> {
    const postgres = await startPostgres(careful);
    const redis = on === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
    await migrate(postgres.url);
    await migrateQueue(postgres.url);
    const run = new OtpRun(postgres, redis, new Database({ url: postgres.url, poolSize: 2 }));
    try {
      await run.furnish();
      await run.launch();
    } catch (error) {
      await run.close();
      throw error;
    }
    return run;
  }

  /** @throws when what was answered is not what was done */
  async audit(verified: number): Promise<void> {
    const [row] = await this.database.query<{ all: number; verified: number }>(sql`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE status = 2)::int AS verified FROM otp`);
    if (row?.verified !== verified || row.all !== verified) {
      throw new Error(
        `${verified} OTPs were verified, and ${row?.verified} of ${row?.all} are stored as such`,
      );
    }
  }

  /** May be called from where the work goes wrong and from where the user loses patience, at once. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  /** Its guards are the usual ones: they are part of what an OTP costs. Only how often it may ask is not limited. */
  private async furnish(): Promise<void> {
    const { database } = this;
    const account = await database.transaction((transaction) =>
      createAccount(transaction, { name: 'Bench', sender: 'Bench' }),
    );
    const [organisation] = account.organisations;
    this.organisationId = organisation?.id ?? '';
    await database.transaction((transaction) =>
      setLimits(transaction, this.organisationId, { requestsPerSecond: 0 }),
    );
    await topUp(database, [{ subjectId: newId(), organisationId: this.organisationId, kobo: plenty }]);
    const issued = await database.transaction((transaction) =>
      issueKey(transaction, 'live', {
        organisationId: this.organisationId,
        name: 'bench',
        scopes: ['otp:write'],
      }),
    );
    this.key = issued.key;
  }

  private async launch(): Promise<void> {
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      LOG_LEVEL: 'error',
      DATABASE_URL: this.postgres.url,
      ...(this.redis && { REDIS_URL: this.redis.url }),
      QUEUE_KEY: newQueueKey(),
      OTP_PEPPER: newQueueKey(),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      // Load is what is measured here: nobody is turned away for it.
      MAX_EVENT_LOOP_DELAY_MS: '0',
    };
    await this.fork(appOf('otp'), [], env);
    this.ports.system = await this.fork(appOf('gateway'), [], env);
    this.ports.direct = await this.fork(directServer, [this.postgres.url, this.organisationId], env);
  }

  /** Gives the port that it listens on. */
  private async fork(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
    const child = fork(script, args, { env });
    this.children.push(child);
    const refuse = (): never => {
      throw new Error(`${script} does not start`);
    };
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(refuse)])) as [
      { port?: number },
    ];
    return message.port ?? 0;
  }

  private async end(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.database.close();
    await Promise.all([this.postgres.stop(), this.redis?.stop()]);
  }
}
