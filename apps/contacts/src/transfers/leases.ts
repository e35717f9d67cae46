import { type Database, Prisma, type Sql, sql, sqlState, type Statements } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import type { Held } from './held.js';

/** Longer than one statement may run, and a worker writes down how far it is after every few. */
const leaseTime = sql`interval '60 seconds'`;
const uniqueViolation = '23505';

/** The column keeps milliseconds, to which `now()` might be rounded up: then it would not be due yet. */
export const dueNow = sql`date_trunc('milliseconds', now())`;

/** Part of the statement that writes down how far the work is: it goes on for the same worker. */
export const renewed = sql`next_attempt_at = now() + ${leaseTime}, stalls = 0`;

/** Whoever holds a row of `contact_import` or `contact_export`. One of a table is carried out at a time, the oldest first. */
export class Leases {
  private readonly place: Sql;

  /** @param kind what the tables are named after */
  constructor(
    private readonly database: Database,
    private readonly kind: 'import' | 'export',
  ) {
    this.place = Prisma.raw(`contact_${kind}`);
  }

  /** Takes up whatever has been due for longest, if anything. */
  async take(): Promise<Held | undefined> {
    try {
      const [held] = await this.database.query<Held>(sql`
        WITH due AS MATERIALIZED (
          SELECT id FROM ${this.place} AS waiting
          WHERE state IN ('queued', 'running') AND next_attempt_at <= ${dueNow}
            AND (state = 'running' OR NOT EXISTS (
              SELECT FROM ${this.place} AS other WHERE other.table_id = waiting.table_id AND other.state = 'running'))
          ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        UPDATE ${this.place} AS kept
        SET state = 'running', attempt = attempt + 1, stalls = stalls + 1, next_attempt_at = now() + ${leaseTime}
        FROM due, contact_table WHERE kept.id = due.id AND contact_table.id = kept.table_id
        RETURNING kept.id, kept.table_id AS "tableId", organisation_id AS "organisationId", kept.attempt, kept.stalls`);
      return held;
    } catch (error) {
      // Another of the same table was taken up at the same moment.
      if (sqlState(error) === uniqueViolation) return undefined;
      throw error;
    }
  }

  /** From here on nobody else writes, until the transaction ends. @throws LeaseLostError */
  async confirm(transaction: Statements, { id, attempt }: Held): Promise<void> {
    const [held] = await transaction.query(sql`
      SELECT id FROM ${this.place} WHERE id = ${id} AND attempt = ${attempt} AND state = 'running' FOR NO KEY UPDATE`);
    if (!held) throw new LeaseLostError();
  }

  /** For whoever needs longer, though it has not come further. @throws LeaseLostError */
  async renew(held: Held): Promise<void> {
    const changed = await this.database.execute(sql`
      UPDATE ${this.place} SET next_attempt_at = now() + ${leaseTime} WHERE ${stillHeld(held)}`);
    if (changed === 0) throw new LeaseLostError();
  }

  /** Lets others have their turn, and after them itself again. */
  async giveBack(held: Held, pauseMs = 0): Promise<void> {
    await this.database.execute(sql`
      UPDATE ${this.place} SET next_attempt_at = ${dueNow} + ${pauseMs}::float8 * interval '1 ms' WHERE ${stillHeld(held)}`);
  }

  /** It ends here; rows that were written stay, the file goes. Tells whether it did: a lease may be lost. */
  fail(held: Held, reason: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const failed = await transaction.execute(sql`
        UPDATE ${this.place} SET state = 'failed', reason = ${reason}, next_attempt_at = NULL, ended_at = now()
        WHERE ${stillHeld(held)}`);
      if (failed > 0) await this.dropParts(transaction, held);
      return failed > 0;
    });
  }

  async dropParts(transaction: Statements, { id }: Held): Promise<void> {
    const [parts, owner] = [Prisma.raw(`contact_${this.kind}_part`), Prisma.raw(`${this.kind}_id`)];
    await transaction.execute(sql`DELETE FROM ${parts} WHERE ${owner} = ${id}::uuid`);
  }
}

export const stillHeld = ({ id, attempt }: Held): Sql =>
  sql`id = ${id} AND attempt = ${attempt} AND state = 'running'`;
