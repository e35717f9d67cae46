import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import { command, Database, sql } from '@gangan/database';
import { AppLogger, PeriodicTask } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';

const heartbeatIntervalMs = 2_000;

/** Longer than the time between two heartbeats of a process that lives. A longer gap suggests that the database was away. */
export const maxHeartbeatGapMs = 5_000;

const register = command(
  (id: bigint, app: string, host: string, pid: number) => sql`
    INSERT INTO lease_holder (id, app, host, pid) VALUES (${id}, ${app}, ${host}, ${pid}) ON CONFLICT DO NOTHING`,
);

const writeHeartbeat = command(
  (id: bigint) => sql`
    UPDATE lease_holder SET heartbeat_at = now(), steady_since = CASE
      WHEN heartbeat_at >= now() - ${maxHeartbeatGapMs}::float8 * interval '1 millisecond' THEN steady_since
      ELSE now() END
    WHERE id = ${id}`,
);

/**
 * This process as a holder of leases. Rows that it claims carry its id (`lease_holder`), and a heartbeat in the table
 * `lease_holder` shows that it lives. All times are those of the database.
 */
@Injectable()
export class LeaseHolder implements OnModuleInit {
  private readonly heartbeat: PeriodicTask;
  private currentId = newHolderId();
  private isRegistered = false;

  constructor(
    readonly app: string,
    private readonly database: Database,
    private readonly logger: AppLogger,
  ) {
    this.heartbeat = new PeriodicTask('heartbeat', heartbeatIntervalMs, () => this.beat(), logger);
  }

  /** Changes if other processes have taken this one for dead. */
  get id(): bigint {
    return this.currentId;
  }

  onModuleInit(): void {
    this.heartbeat.start();
  }

  /** Call it when all work has ended; then the leases can be given up. */
  stop(): Promise<void> {
    return this.heartbeat.stop();
  }

  /**
   * If the row is gone, another process has taken over the leases of this one. Their attempts protect the rows that were
   * claimed since; new leases need a new id.
   */
  async beat(): Promise<boolean> {
    if (this.isRegistered && (await this.database.run(writeHeartbeat, this.currentId)) === 0) {
      const holder = String(this.currentId);
      this.currentId = newHolderId();
      this.isRegistered = false;
      this.logger.warn({ holder }, 'its heartbeat was missing: another process has taken over its leases');
    }
    if (!this.isRegistered) {
      await this.database.run(register, this.currentId, this.app, hostname(), process.pid);
      this.isRegistered = true;
    }
    return false;
  }
}

/** 48 random bits: the id is known before the row is written, and no two processes share one. */
const newHolderId = (): bigint => BigInt(randomInt(1, 2 ** 48 - 1));
