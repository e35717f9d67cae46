import { hostname } from 'node:os';
import { Database, type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import { AppLogger, PeriodicTask } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LeaseHolder } from './lease-holder.js';

/** The shortest time between two heartbeats; the longest is half as long again. */
export const heartbeatIntervalMs = 1_000;

/** Two heartbeats of a running process are less than this apart. A longer gap suggests that the database was unavailable. */
export const maxHeartbeatGapMs = 5_000;

/** A heartbeat must not wait for the work of the process, nor long for a connection that is broken. */
const ownConnection = { poolSize: 1, connectionTimeoutMs: 2_000, statementTimeoutMs: 1_000 };

/**
 * After a failed heartbeat the connection is closed, and the next one is written at once over a new connection. This time is
 * longer than the pause before the failed heartbeat (1.5 s), its timeout in the process (2 s) and a new connection (2 s)
 * together.
 */
export const maxReconnectMs = 6_000;

export const ago = (ms: number): Sql => sql`now() - ${ms}::float8 * interval '1 millisecond'`;

/** Whether the process with this id has written a heartbeat lately. */
export const isAlive = (holder: Sql): Sql => sql`EXISTS (
  SELECT FROM lease_holder AS living WHERE living.id = ${holder} AND living.heartbeat_at >= ${ago(maxHeartbeatGapMs)})`;

const writeHeartbeat = statement(
  { isNew: t.bool },
  (id: bigint, app: string, host: string, pid: number) => sql`
    INSERT INTO lease_holder AS known (id, app, host, pid, backend_pid, backend_start, connected_since)
    VALUES (${id}, ${app}, ${host}, ${pid}, pg_backend_pid(),
      (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()), now())
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = now(),
      steady_since = CASE WHEN known.heartbeat_at >= ${ago(maxHeartbeatGapMs)} THEN known.steady_since ELSE now() END,
      connected_since = CASE WHEN known.backend_pid = excluded.backend_pid
        AND known.backend_start = excluded.backend_start THEN known.connected_since ELSE now() END,
      backend_pid = excluded.backend_pid, backend_start = excluded.backend_start
    RETURNING old.id IS NULL AS "isNew"`,
);

/** Shows in the table `lease_holder` that this process runs. All times are those of the database. */
@Injectable()
export class Heartbeat implements OnModuleInit {
  private readonly database: Database;
  private readonly task: PeriodicTask;
  private isRegistered = false;

  constructor(
    database: Database,
    private readonly holder: LeaseHolder,
    private readonly logger: AppLogger,
  ) {
    this.database = database.openSeparate(ownConnection);
    this.task = new PeriodicTask('heartbeat', heartbeatIntervalMs, () => this.beat(), logger);
  }

  onModuleInit(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
    await this.database.close();
  }

  /** If the row is missing, other processes took this one for dead, so it registers again. */
  async beat(): Promise<boolean> {
    const { id, tables } = this.holder;
    const [written] = await this.write().catch(() => this.write());
    const line = { holder: String(id), tables };
    if (!this.isRegistered) this.logger.info(line, 'holds leases');
    else if (written?.isNew)
      this.logger.warn(
        line,
        'this process sent no heartbeat for too long; another process took over its leases',
      );
    this.isRegistered = true;
    return false;
  }

  private write(): Promise<RowOf<typeof writeHeartbeat>[]> {
    const { id, app } = this.holder;
    return this.database.run(writeHeartbeat, id, app, hostname(), process.pid);
  }
}
