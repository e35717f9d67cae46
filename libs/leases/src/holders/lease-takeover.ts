import { Database, type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import { AppLogger, Counter, Periodic, Registry } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LeaseHolder, maxHeartbeatGapMs } from './lease-holder.js';
import { LeasedTables } from './leased-tables.js';

const intervalMs = 1_000;

/** A process whose heartbeat is older counts as dead. */
const deadAfterMs = 10_000;

const ago = (ms: number): Sql => sql`now() - ${ms}::float8 * interval '1 millisecond'`;

/**
 * An old heartbeat alone does not show that a process has died: while the database is down, no process can write one. So
 * some process, of any app, must have written its heartbeats during that time.
 */
const isDead = sql`
  heartbeat_at < ${ago(deadAfterMs)} AND EXISTS (
    SELECT FROM lease_holder AS steady
    WHERE steady.heartbeat_at > ${ago(maxHeartbeatGapMs)} AND steady.steady_since < ${ago(deadAfterMs)})`;

const findDead = statement(
  { id: t.bigint },
  (app: string, own: bigint) => sql`
    SELECT id FROM lease_holder WHERE app = ${app} AND id <> ${own} AND ${isDead} ORDER BY id`,
);

const removedShape = { host: t.text, pid: t.int, silentSeconds: t.float };
const removed = sql`
  RETURNING host, pid, extract(epoch FROM now() - heartbeat_at)::float8 AS "silentSeconds"`;

const removeDead = statement(
  removedShape,
  (id: bigint) => sql`DELETE FROM lease_holder WHERE id = ${id} AND ${isDead} ${removed}`,
);

const removeOwn = statement(
  removedShape,
  (id: bigint) => sql`DELETE FROM lease_holder WHERE id = ${id} ${removed}`,
);

/** Ends the leases of processes of this app that have died, and those that this process still holds when it stops. */
@Injectable()
export class LeaseTakeover implements OnApplicationShutdown {
  private readonly rows: Counter<'table'>;

  constructor(
    private readonly database: Database,
    private readonly holder: LeaseHolder,
    private readonly tables: LeasedTables,
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

  @Periodic('taking over the leases of dead processes', intervalMs)
  async sweep(): Promise<boolean> {
    for (const { id } of await this.database.run(findDead, this.holder.app, this.holder.id)) {
      const taken = await this.takeOver(id, removeDead);
      if (!taken) continue;
      for (const [table, rows] of Object.entries(taken.rows)) this.rows.inc({ table }, rows);
      this.logger.warn({ holder: String(id), ...taken }, 'a process has died: its leases were taken over');
    }
    return false;
  }

  /** The work has ended by now, so leases that are left belong to work that failed. */
  async onApplicationShutdown(): Promise<void> {
    await this.holder.stop();
    await this.takeOver(this.holder.id, removeOwn).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'could not give up its leases; another process takes them over');
    });
  }

  /** @returns `undefined` if it is not dead after all, or if another process was faster */
  private takeOver(id: bigint, remove: typeof removeDead): Promise<Takeover | undefined> {
    return this.database.transaction(async (transaction) => {
      const [holder] = await transaction.run(remove, id);
      if (!holder) return undefined;
      const rows: Record<string, number> = {};
      for (const [table, take] of this.tables.all()) rows[table] = await take(transaction, id);
      return { ...holder, rows };
    }, byIndex);
  }
}

/** The dead process, and how many rows of each table it held. */
interface Takeover extends RowOf<typeof removeDead> {
  readonly rows: Readonly<Record<string, number>>;
}

/** Plans are kept, and may have been made while a table was empty. */
const byIndex = ['SET LOCAL enable_seqscan = off'];
