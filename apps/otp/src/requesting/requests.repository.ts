import { charge, insufficientBalance, type Ledger, lockWallets, isolateLockedWallets } from '@gangan/billing';
import { Database, lockRetries, retryTransient, StatementLoader, type Statements } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { admit, type Sighting } from './guards.js';
import { isCapped, type Order } from './order.js';
import { placing } from './placing.js';
import { sightingsOf } from './sightings.js';

export interface Placed {
  /** It was placed before: nothing was done now. */
  readonly repeated: boolean;
}

@Injectable()
export class RequestsRepository {
  private readonly orders = new StatementLoader(
    isolateLockedWallets((orders: readonly Order[]) => this.placeAll(orders)),
  );

  constructor(private readonly database: Database) {}

  /**
   * Charges for the OTP and writes it and its delivery down, all or nothing; one that is there already stays as it is.
   * @throws AppError 402, or 429 when a cap is reached
   */
  place(order: Order): Promise<Placed> {
    // A wallet under caps is held from look to charge, so others of its organisation may have to come again.
    return retryTransient(() => this.orders.load(order), lockRetries);
  }

  /**
   * A cap depends on rows that others may be writing, and a statement does not see what was committed while it waited
   * for a lock: so the wallets are locked first, and then looked and charged. Caps are an organisation's own, so that
   * its wallet's lock guards them all.
   */
  private placeAll(orders: readonly Order[]): Promise<(Placed | Error)[]> {
    if (!orders.some(isCapped)) return this.chargeAll(this.database, orders);
    return this.database.transaction(async (transaction) => {
      await lockWallets(transaction, [...new Set(orders.map(({ organisationId }) => organisationId))]);
      const answers = await this.placeAdmitted(transaction, orders);
      // What could not be paid for has used nothing up: those behind it are looked at once more.
      const refused = orders.filter((order) => isRefusal(answers.get(order), 429));
      if (refused.length > 0 && [...answers.values()].some((answer) => isRefusal(answer, 402))) {
        for (const [order, answer] of await this.placeAdmitted(transaction, refused))
          answers.set(order, answer);
      }
      return orders.map((order) => answers.get(order) ?? new Error('No answer'));
    });
  }

  private async placeAdmitted(
    transaction: Statements,
    orders: readonly Order[],
  ): Promise<Map<Order, Placed | Error>> {
    const refusals = admit(orders, await transaction.query<Sighting>(sightingsOf(orders)));
    const answers = new Map(orders.flatMap((order, place) => pairOf(order, refusals[place])));
    const admitted = orders.filter((order) => !answers.has(order));
    if (admitted.length === 0) return answers;
    const charged = await this.chargeAll(transaction, admitted);
    for (const [place, order] of admitted.entries())
      answers.set(order, charged[place] ?? new Error('No answer'));
    return answers;
  }

  private async chargeAll(ledger: Ledger, orders: readonly Order[]): Promise<(Placed | Error)[]> {
    const members = orders.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
    const spendings = await charge(ledger, members, placing(orders));
    return spendings.map((spending, place) =>
      spending.ok
        ? { repeated: spending.repeated }
        : insufficientBalance(orders[place]?.kobo ?? 0n, spending.available),
    );
  }
}

const isRefusal = (answer: Placed | Error | undefined, status: number): boolean =>
  answer instanceof AppError && answer.status === status;

const pairOf = (order: Order, refusal: Error | undefined): [Order, Placed | Error][] =>
  refusal ? [[order, refusal]] : [];
