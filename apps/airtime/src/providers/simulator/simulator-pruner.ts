import { Database, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const restMs = 600_000;
const mostAtOnce = 500;
const keptMs = 90 * 86_400_000;

/** Removes what the simulator was told long ago. The purchases themselves stay. */
@Injectable()
export class SimulatorPruner {
  constructor(private readonly database: Database) {}

  /**
   * Tells whether there may be more. As ids are made in the order of time, the old ones are the first. Of a purchase
   * that has not ended the simulator may still be asked: if it had forgotten, the money would be given back.
   */
  @Periodic('removing old simulated top-ups', restMs)
  async prune(): Promise<boolean> {
    const removed = await this.database.execute(sql`
      DELETE FROM simulated_top_up WHERE id = ANY (ARRAY(
        SELECT id FROM simulated_top_up AS told WHERE id < ${firstIdAt(new Date(Date.now() - keptMs))}::uuid AND (
          SELECT true FROM airtime_purchase
          WHERE id = told.reference AND state NOT IN ('success', 'failed', 'duplicate') LIMIT 1) IS NULL
        ORDER BY id LIMIT ${mostAtOnce} FOR UPDATE SKIP LOCKED))`);
    return removed === mostAtOnce;
  }
}
