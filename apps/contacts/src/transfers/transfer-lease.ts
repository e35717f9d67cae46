import {
  command,
  type Database,
  Prisma,
  type RowOf,
  type Sql,
  sql,
  type SqlRunner,
  sqlState,
  statement,
  type Statements,
  t,
} from '@gangan/database';
import {
  ClaimTable,
  type DueCondition,
  dueNow,
  type Lease,
  type LeaseHolder,
  LeaseLostError,
} from '@gangan/leases';
import { uniqueViolation } from '../transactions.js';

export type TransferKind = 'import' | 'export';

/** An import or export that this worker has claimed. */
export type ClaimedTransfer = RowOf<(typeof declared)[TransferKind]['claimNext']>;

/** Longer than a statement may run; progress is written after every few statements. */
const leaseMs = 60_000;

const ended: Sql = sql`next_attempt_at = NULL, ended_at = now()`;

function declareLease(kind: TransferKind) {
  const table = Prisma.raw(`contact_${kind}`);
  const lease = new ClaimTable({
    table: `contact_${kind}`,
    claim: { id: 'id', attempt: 'attempt' },
    expiresAt: 'next_attempt_at',
    held: sql`state::text = 'running'`,
  });
  /** Claims the oldest transfer. One transfer of a contact table runs at a time. */
  const claimNext = statement(
    { id: t.uuid, tableId: t.uuid, organisationId: t.uuid, attempt: t.int, stalls: t.int },
    (own: Lease) =>
      lease.claimDue({
        ...own,
        limit: 1,
        where: sql`state IN ('queued', 'running') AND (state = 'running' OR NOT EXISTS (
        SELECT FROM ${table} AS other WHERE other.table_id = ${table}.table_id AND other.state = 'running'))`,
        thenBy: sql`id`,
        set: sql`state = 'running', stalls = stalls + 1`,
        returning: sql`id, table_id AS "tableId", attempt, stalls,
        (SELECT organisation_id FROM contact_table WHERE contact_table.id = ${table}.table_id) AS "organisationId"`,
      }),
  );
  const isUnfinished = sql`state IN ('queued', 'running')`;
  const isDue = statement(
    { isDue: t.bool },
    () =>
      sql`SELECT EXISTS (SELECT FROM ${table} WHERE ${isUnfinished} AND next_attempt_at <= ${dueNow}) AS "isDue"`,
  );
  const takeOver = command((held: Lease) => lease.takeOver({ ...held, where: isUnfinished }));
  const [parts, owner] = [Prisma.raw(`contact_${kind}_part`), Prisma.raw(`${kind}_id`)];
  const deleteParts = command((id: string) => sql`DELETE FROM ${parts} WHERE ${owner} = ${id}`);
  return { lease, claimNext, isDue, takeOver, deleteParts };
}

/** Assignments of a statement that writes progress: it renews the lease. */
export const progressed = (own: Lease): Sql => sql`${declared.import.lease.assign(own)}, stalls = 0`;

const declared = { import: declareLease('import'), export: declareLease('export') };

export class TransferLease {
  /** The lease that a claim of this process gets. */
  readonly own: Lease;
  private readonly lease: ClaimTable<'id' | 'attempt'>;

  constructor(
    private readonly database: Database,
    private readonly kind: TransferKind,
    holder: LeaseHolder,
    /** Called in the transaction that ends a transfer. */
    private readonly recordEnd?: (transaction: SqlRunner, claimed: ClaimedTransfer) => Promise<void>,
  ) {
    this.lease = declared[kind].lease;
    this.own = holder.lease(leaseMs);
    holder.onTakeover(`contact_${kind}`, (transaction, dead) =>
      transaction.run(declared[kind].takeOver, { holder: dead, leaseMs }),
    );
  }

  get isDue(): DueCondition {
    return declared[this.kind].isDue;
  }

  async claimNext(): Promise<ClaimedTransfer | undefined> {
    try {
      const [claimed] = await this.database.run(declared[this.kind].claimNext, this.own);
      return claimed;
    } catch (error) {
      // Another worker claimed one of the same table at the same time.
      if (sqlState(error) === uniqueViolation) return undefined;
      throw error;
    }
  }

  /** Locks the transfer until the transaction ends. @throws LeaseLostError */
  confirm(transaction: Statements, claimed: ClaimedTransfer): Promise<void> {
    return this.lease.confirm(transaction, claimed);
  }

  /** @throws LeaseLostError */
  renew(claimed: ClaimedTransfer): Promise<void> {
    return this.lease.renew(this.database, claimed, this.own);
  }

  async release(claimed: ClaimedTransfer, delayMs = 0): Promise<void> {
    await this.lease.release(this.database, claimed, delayMs);
  }

  /** Fails the transfer for good and deletes its file; imported rows stay. Returns false if the lease was lost. */
  fail(claimed: ClaimedTransfer, reason: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const end = sql`state = 'failed', reason = ${reason}, ${ended}`;
      const failed = await this.lease.finish(transaction, claimed, end);
      if (failed) {
        await this.deleteParts(transaction, claimed);
        await this.recordEnd?.(transaction, claimed);
      }
      return failed;
    });
  }

  /** @throws LeaseLostError */
  async finish(runner: SqlRunner, claimed: ClaimedTransfer, set: Sql = sql`state = 'done'`): Promise<void> {
    if (!(await this.lease.finish(runner, claimed, sql`${set}, ${ended}`))) throw new LeaseLostError();
    await this.recordEnd?.(runner, claimed);
  }

  async deleteParts(transaction: Statements, { id }: ClaimedTransfer): Promise<void> {
    await transaction.run(declared[this.kind].deleteParts, id);
  }
}
