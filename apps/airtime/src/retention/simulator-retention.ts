import { command, Database, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const intervalMs = 600_000;
const maxBatch = 500;
const retentionMs = 90 * 86_400_000;

/**
 * Keeps the record of a purchase that is not finished: the simulator may be queried about it, and would cause a refund
 * if the record were gone.
 */
const deleteBefore = command(
  (firstKeptId: string, limit: number) => sql`
    DELETE FROM simulated_top_up WHERE id = ANY (ARRAY(
      SELECT id FROM simulated_top_up AS top_up WHERE id < ${firstKeptId}::uuid AND (
        SELECT true FROM airtime_purchase
        WHERE id = top_up.reference AND state::text NOT IN ('success', 'failed', 'duplicate') LIMIT 1) IS NULL
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Deletes old records of the simulator. Purchases are never deleted. */
@Injectable()
export class SimulatorRetention {
  constructor(private readonly database: Database) {}

  @Periodic('deleting old simulated top-ups', intervalMs)
  async prune(): Promise<boolean> {
    const firstKeptId = firstIdAt(new Date(Date.now() - retentionMs));
    return (await this.database.run(deleteBefore, firstKeptId, maxBatch)) === maxBatch;
  }
}
