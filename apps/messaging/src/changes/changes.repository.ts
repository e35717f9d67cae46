import { recordCallbacks } from '@gangan/callbacks';
import { command, Database, retryTransient, sql, statement, type Statements } from '@gangan/database';
import { dueAfter, type Lease, LeaseHolder } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { inStateOrder } from '../message-status.js';
import { snapshotColumns, snapshotShape, type StoredSnapshot } from '../outcome/apply-transitions.js';
import { canceledCallback, findCanceled } from './canceled-callback.js';
import {
  anyChange,
  changeLease,
  claimNext,
  type ClaimedChange,
  confirmChange,
  leaseMs,
  takeOverChanges,
} from './change-lease.js';
import { findLeft, hold, queuedOf, release } from './held-deliveries.js';
import { type ChangeRequest, requestChange } from './request-change.js';

const findQueued = statement(
  snapshotShape,
  (claimed: ClaimedChange, limit: number) => sql`
    SELECT ${snapshotColumns} FROM delivery WHERE ${queuedOf(claimed)} ${inStateOrder} LIMIT ${limit}`,
  { samples: [[anyChange, 1]] },
);

const remove = command(
  (messageId: string) => sql`DELETE FROM message_change WHERE message_id = ${messageId}`,
);

@Injectable()
export class ChangesRepository {
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    holder.onTakeover('message_change', (transaction, dead) =>
      transaction.run(takeOverChanges, { holder: dead, leaseMs }),
    );
  }

  /** As `requestChange`, in a transaction. @throws AppError 409 */
  request(request: ChangeRequest): Promise<boolean | undefined> {
    return retryTransient(() =>
      this.database.transaction((transaction) => requestChange(transaction, request)),
    );
  }

  /** Cancellations that wait for a provider come last, so that other changes do not queue behind them. */
  async claimNext(): Promise<ClaimedChange | undefined> {
    const [claimed] = await this.database.run(claimNext, this.lease, false);
    if (claimed) return claimed;
    const [waiting] = await this.database.run(claimNext, this.lease, true);
    return waiting;
  }

  async release(claimed: ClaimedChange, delayMs = 0): Promise<void> {
    await changeLease.release(this.database, claimed, delayMs);
  }

  /** As `release`, for a change that waits for a provider and is not stuck. */
  async wait(claimed: ClaimedChange, delayMs: number): Promise<void> {
    const set = sql`next_attempt_at = ${dueAfter(delayMs)}, stalls = 0, waits = true`;
    await changeLease.finish(this.database, claimed, set);
  }

  /** Extends the lease after progress. @throws LeaseLostError */
  async advance(claimed: ClaimedChange): Promise<void> {
    await this.inHeldTransaction(claimed, () => Promise.resolve());
  }

  /** The queued deliveries that are not held yet, or not released. */
  async findLeft(claimed: ClaimedChange, action: 'pause' | 'resume', limit: number): Promise<string[]> {
    return (await this.database.run(findLeft, claimed, action, limit)).map(({ id }) => id);
  }

  /** Holds or releases deliveries. @throws LeaseLostError */
  async apply(claimed: ClaimedChange, action: 'pause' | 'resume', ids: readonly string[]): Promise<void> {
    await this.inHeldTransaction(claimed, async (transaction) => {
      if (action === 'pause') await transaction.run(hold, ids);
      else await transaction.run(release, claimed.messageId, ids);
    });
  }

  findQueued(claimed: ClaimedChange, limit: number): Promise<StoredSnapshot[]> {
    return this.database.run(findQueued, claimed, limit);
  }

  /** @throws LeaseLostError */
  async finish(claimed: ClaimedChange): Promise<void> {
    await this.inHeldTransaction(claimed, (transaction) => transaction.run(remove, claimed.messageId));
  }

  /**
   * Ends a cancellation with its callback, if no delivery is open.
   * @returns the ids of the callbacks; undefined if a delivery is open @throws LeaseLostError
   */
  finishCanceled(claimed: ClaimedChange): Promise<string[] | undefined> {
    return this.inHeldTransaction(claimed, async (transaction) => {
      const [message] = await transaction.run(findCanceled, claimed.messageId);
      if (!message) return undefined;
      await transaction.run(remove, claimed.messageId);
      return recordCallbacks(transaction, [canceledCallback(message)]);
    });
  }

  /** The row is locked and its lease extended, so that no newer action begins before the transaction has ended. */
  private inHeldTransaction<T>(
    claimed: ClaimedChange,
    work: (transaction: Statements) => Promise<T>,
  ): Promise<T> {
    return retryTransient(() =>
      this.database.transaction(async (transaction) => {
        await confirmChange(transaction, claimed);
        await changeLease.change(transaction, claimed, sql`${changeLease.assign(this.lease)}, stalls = 0`);
        return work(transaction);
      }),
    );
  }
}
