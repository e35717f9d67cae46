import { command, Database, sql } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const intervalMs = 600_000;
const maxBatch = 500;

const deleteExpired = command(
  (limit: number) => sql`
    DELETE FROM live_finding WHERE phone = ANY (ARRAY(
      SELECT phone FROM live_finding WHERE kept_until < now()
      ORDER BY kept_until LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Deletes expired findings of live lookups: they are personal data. */
@Injectable()
export class FindingRetention {
  constructor(private readonly database: Database) {}

  /** Returns whether there may be more to delete. */
  @Periodic('deleting expired findings of live lookups', intervalMs)
  async prune(): Promise<boolean> {
    return (await this.database.run(deleteExpired, maxBatch)) === maxBatch;
  }
}
