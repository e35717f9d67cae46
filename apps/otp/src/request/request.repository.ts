import { charge, insufficientBalance, isolateLockedWallets, type Ledger, lockWallets } from '@gangan/billing';
import { Database, lockRetries, retryTransient, shareStatement, type Statements } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { isLimited, type Order, storeOrders } from './order.js';
import { checkSendLimits, countSends } from './send-limits.js';

/** `repeated`: the order was placed before; nothing was changed. */
type Placed = Readonly<{ repeated: boolean }>;

@Injectable()
export class RequestRepository {
  private readonly placeShared = shareStatement(
    isolateLockedWallets((orders: readonly Order[]) => this.placeAll(orders)),
  );

  constructor(private readonly database: Database) {}

  /**
   * Charges for the OTP and stores it with its delivery, in one transaction. An OTP that exists is not changed.
   * @throws AppError 402, or 429 if a limit is reached
   */
  place(order: Order): Promise<Placed> {
    // With limits, the wallet stays locked from the count to the charge: other requests may have to retry.
    return retryTransient(() => this.placeShared(order), lockRetries);
  }

  /**
   * Locks the wallets, counts, then charges, in separate statements: a statement does not see rows that were committed
   * while it waited for a lock. Limits belong to an organisation, so the lock of its wallet protects all of them.
   */
  private placeAll(orders: readonly Order[]): Promise<(Placed | Error)[]> {
    if (!orders.some(isLimited)) return this.chargeAll(this.database, orders);
    return this.database.transaction(async (transaction) => {
      await lockWallets(transaction, [...new Set(orders.map(({ organisationId }) => organisationId))]);
      const results = await this.placeWithinLimits(transaction, orders);
      // An order without sufficient balance uses no limit: orders that were refused after it are checked again.
      const refused = orders.filter((order) => hasStatus(results.get(order), 429));
      if (refused.length > 0 && [...results.values()].some((result) => hasStatus(result, 402))) {
        for (const [order, result] of await this.placeWithinLimits(transaction, refused))
          results.set(order, result);
      }
      return orders.map((order) => results.get(order) ?? new Error('No result'));
    });
  }

  private async placeWithinLimits(
    transaction: Statements,
    orders: readonly Order[],
  ): Promise<Map<Order, Placed | Error>> {
    const errors = checkSendLimits(orders, await transaction.run(countSends, orders));
    const accepted = orders.filter((_, index) => !errors[index]);
    const charged = await this.chargeAll(transaction, accepted);
    const toResult = (index: number): Placed | Error =>
      errors[index] ?? charged.shift() ?? new Error('No result');
    return new Map(orders.map((order, index) => [order, toResult(index)]));
  }

  private async chargeAll(ledger: Ledger, orders: readonly Order[]): Promise<(Placed | Error)[]> {
    const members = orders.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
    const charges = await charge(ledger, members, storeOrders(orders));
    return charges.map((result, index) =>
      result.ok
        ? { repeated: result.repeated }
        : insufficientBalance(orders[index]?.kobo ?? 0n, result.available),
    );
  }
}

const hasStatus = (result: Placed | Error | undefined, status: number): boolean =>
  result instanceof AppError && result.status === status;
