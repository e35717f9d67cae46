import { Database, type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import { AppLogger, Counter, Registry } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SweepsWhen } from '../due-sweeps.js';
import { ago, Heartbeat, heartbeatIntervalMs, maxHeartbeatGapMs, maxReconnectMs } from './heartbeat.js';
import { LeaseHolder } from './lease-holder.js';

/**
 * A process whose heartbeat is older counts as dead. This time is longer than its event loop may be blocked before the
 * watchdog ends it (EVENT_LOOP_TIMEOUT_SECONDS, 10 s) and the time between two heartbeats together.
 */
const deadAfterMs = 12_000;

const isSteady = (forMs: number): Sql =>
  sql`steady.heartbeat_at > ${ago(maxHeartbeatGapMs)} AND steady.steady_since < ${ago(forMs)}`;

/**
 * An old heartbeat alone does not show that a process has died: while the database is down, no process can write one. So
 * some process, of any app, must have written its heartbeats during that time.
 */
const isSilent = sql`
  heartbeat_at < ${ago(deadAfterMs)} AND EXISTS (
    SELECT FROM lease_holder AS steady WHERE ${isSteady(deadAfterMs)})`;

/**
 * The operating system closes the connections of a process that dies, so that it is noticed sooner. But a process that runs
 * may lose its connection too, and a database that restarts closes those of all processes. So the process must not have
 * written a heartbeat over a new one, and some process, of any app, must have kept its own all the time.
 */
const isGone = sql`
  heartbeat_at < ${ago(maxReconnectMs)} AND EXISTS (
    SELECT FROM lease_holder AS steady WHERE steady.heartbeat_at > ${ago(2 * heartbeatIntervalMs)}
      AND steady.steady_since < lease_holder.heartbeat_at AND steady.connected_since < lease_holder.heartbeat_at)
  AND backend_pid IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_stat_activity AS backend WHERE backend.pid = backend_pid
      -- For backends of other users, only the pid is visible.
      AND coalesce(backend.backend_start = lease_holder.backend_start, true))`;

const isDead = sql`(${isSilent} OR ${isGone})`;

/** Whether a process, of any app, has written no heartbeat for some time. */
const isAnySilent = statement(
  { isDue: t.bool },
  () => sql`SELECT EXISTS (SELECT FROM lease_holder WHERE heartbeat_at < ${ago(maxReconnectMs)}) AS "isDue"`,
);

/** Finds no process if this one was paused itself until now, because others may have been paused with it. */
const findDead = statement(
  { id: t.bigint },
  (own: bigint) => sql`
    SELECT id FROM lease_holder WHERE ${isDead} AND app = (
      SELECT app FROM lease_holder AS steady WHERE steady.id = ${own} AND ${isSteady(2 * heartbeatIntervalMs)})
    ORDER BY id`,
);

const removedShape = { host: t.text, deadPid: t.int, silentSeconds: t.float };
const remove = (ids: Sql): Sql => sql`
  DELETE FROM lease_holder WHERE id IN (${ids})
  RETURNING host, pid AS "deadPid", extract(epoch FROM now() - heartbeat_at)::float8 AS "silentSeconds"`;

/** Removes nothing if the process has written a heartbeat since, or if another process is taking over its leases. */
const removeDead = statement(removedShape, (id: bigint) =>
  remove(sql`SELECT id FROM lease_holder WHERE id = ${id} AND ${isDead} FOR UPDATE SKIP LOCKED`),
);

const removeOwn = statement(removedShape, (id: bigint) => remove(sql`${id}`));

/** Takes over the leases of processes of this app that have died, and releases those of this process when it stops. */
@Injectable()
export class LeaseTakeover implements OnApplicationShutdown {
  private readonly rows: Counter<'table'>;

  constructor(
    private readonly database: Database,
    private readonly holder: LeaseHolder,
    private readonly heartbeat: Heartbeat,
    private readonly logger: AppLogger,
    registry: Registry,
  ) {
    this.rows = new Counter({
      name: 'gangan_leases_taken_over_total',
      help: 'Rows whose leases were taken over because the process that held them had died, by table',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  @SweepsWhen(isAnySilent, 'looking for dead processes')
  async sweep(): Promise<boolean> {
    for (const { id } of await this.database.run(findDead, this.holder.id)) {
      const holder = String(id);
      try {
        const taken = await this.takeOver(id, removeDead);
        if (!taken) continue;
        for (const [table, rows] of Object.entries(taken.rows)) this.rows.inc({ table }, rows);
        this.logger.warn({ holder, ...taken }, 'a process has died: its leases were taken over');
      } catch (error) {
        this.logger.warn(
          { holder, err: error },
          'could not take over the leases of a dead process; it will be retried',
        );
      }
    }
    return false;
  }

  /** The app has ended its work and the database is still open, so leases that are left are released and need not expire. */
  async onApplicationShutdown(): Promise<void> {
    try {
      await this.heartbeat.stop();
      const rows = (await this.takeOver(this.holder.id, removeOwn))?.rows ?? {};
      if (Object.values(rows).some((count) => count > 0))
        this.logger.warn({ rows }, 'released the leases that were left when the process stopped');
    } catch (error) {
      this.logger.warn({ err: error }, 'could not release its leases; another process takes them over');
    }
  }

  private takeOver(id: bigint, removal: typeof removeDead): Promise<Takeover | undefined> {
    return this.database.transaction(async (transaction) => {
      const [removed] = await transaction.run(removal, id);
      const hasDied = removal === removeDead;
      return removed && { ...removed, rows: await this.holder.takeOver(transaction, id, hasDied) };
    }, opening);
  }
}

/** A dead process that was removed, and how many rows of each table it held. */
interface Takeover extends RowOf<typeof removeDead> {
  readonly rows: Readonly<Record<string, number>>;
}

/** A takeover that meets a locked row is tried again. */
const opening = [`SET LOCAL lock_timeout = '1s'`];
