import {
  isolateLockedWallets,
  type Ledger,
  lockWallets,
  reserve,
  spendError,
  spendWithinLimits,
} from '@gangan/billing';
import {
  Database,
  lockRetries,
  retryTransient,
  shareStatement,
  type Sql,
  sql,
  statement,
  t,
  unnest,
} from '@gangan/database';
import { dueAfter, leaseGraceMs } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from './airtime.config.js';
import { type Purchase, purchaseColumns, purchaseShape } from './purchase.js';
import {
  findLastCompared,
  hasSeveralFilters,
  listPurchases,
  type PurchaseQuery,
} from './purchase-filters.js';
import { checkRecipientLimits, sumPerRecipient } from './recipient-limits.js';

export type NewPurchase = Omit<Purchase, 'balanceBefore'>;

type OwnedId = Pick<Purchase, 'id' | 'organisationId'>;

const findPurchases = statement(
  { ...purchaseShape, position: t.int },
  (owned: readonly OwnedId[]) => sql`
    SELECT wanted.position::int, found.*
    FROM unnest(${owned.map(({ id }) => id)}::uuid[], ${owned.map(({ organisationId }) => organisationId)}::uuid[])
      WITH ORDINALITY AS wanted (id, organisation_id, position)
    CROSS JOIN LATERAL (
      SELECT ${purchaseColumns} FROM airtime_purchase AS purchase
      WHERE id = wanted.id AND organisation_id = wanted.organisation_id LIMIT 1) AS found`,
);

@Injectable()
export class AirtimeRepository {
  private readonly placeShared = shareStatement(
    isolateLockedWallets((purchases: readonly NewPurchase[]) => this.placeAll(purchases)),
  );

  readonly find = shareStatement(
    async (owned: readonly OwnedId[]): Promise<(Purchase | undefined)[]> => {
      const rows = await this.database.run(findPurchases, owned);
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      return owned.map((_, index) => byPosition.get(index + 1));
    },
    { readOnly: true },
  );

  constructor(
    private readonly database: Database,
    private readonly config: AirtimeConfig,
  ) {}

  /**
   * Reserves the price and stores the purchase. A purchase that exists already stays as it is.
   * @throws AppError 402, or 429 if a limit is reached
   */
  place(purchase: NewPurchase): Promise<{ balanceBefore: bigint }> {
    // The wallet stays locked from the sum to the reservation: other requests may have to retry.
    return retryTransient(() => this.placeShared(purchase), lockRetries);
  }

  /** The end of a range in which the query compares no more purchases than it may; undefined if it has no such end. */
  async findLastCompared(query: PurchaseQuery): Promise<string | undefined> {
    if (!hasSeveralFilters(query)) return undefined;
    return (await this.database.run(findLastCompared, query))[0]?.id;
  }

  /** Newest first. */
  list(query: PurchaseQuery, limit: number): Promise<Purchase[]> {
    return this.database.run(listPurchases, query, limit);
  }

  /** Locks the wallets, sums per recipient, then reserves, so that no purchase comes in between. */
  private placeAll(purchases: readonly NewPurchase[]): Promise<({ balanceBefore: bigint } | Error)[]> {
    const defaultNaira = this.config.AIRTIME_DAILY_SPEND_PER_RECIPIENT;
    return this.database.transaction(async (transaction) => {
      await lockWallets(transaction, [...new Set(purchases.map(({ organisationId }) => organisationId))]);
      return spendWithinLimits(
        purchases,
        async (open) =>
          checkRecipientLimits(open, await transaction.run(sumPerRecipient, open, defaultNaira)),
        (accepted) => this.reserveAll(transaction, accepted),
      );
    });
  }

  private async reserveAll(
    ledger: Ledger,
    purchases: readonly NewPurchase[],
  ): Promise<({ balanceBefore: bigint } | Error)[]> {
    const members = purchases.map(({ id, organisationId, kobo }) => ({
      subjectId: id,
      organisationId,
      kobo,
    }));
    const results = await reserve(ledger, 'airtime', members, insertPlaced(purchases));
    return results.map((result, index) =>
      result.ok ? result : spendError(purchases[index]?.kobo ?? 0n, result),
    );
  }
}

/** A common table expression of the statement that reserves the money. */
const insertPlaced = (purchases: readonly NewPurchase[]): Sql => sql`
  placed AS (
    INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
      balance_before_kobo, product_id, external_ref, callback_url, request_id, created_at, next_attempt_at)
    SELECT new.id, new.organisation_id, network, recipient, recipient_given, accepted.kobo,
      accepted.balance + accepted.kobo, product_id, external_ref, callback_url, request_id, created_at, ${dueAfter(leaseGraceMs)}
    FROM ${unnest('new', purchases, {
      uuid: ['id', 'organisationId', 'productId'],
      text: ['network', 'recipient', 'recipientGiven', 'externalRef', 'callbackUrl', 'requestId'],
      timestamptz: ['createdAt'],
    })}
    JOIN accepted ON accepted.subject_id = new.id
    ON CONFLICT DO NOTHING)`;
