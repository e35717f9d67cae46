import { charge, insufficientBalance, type Member, Prices, refund, sparingStrangers } from '@gangan/billing';
import { Database, StatementLoader } from '@gangan/database';
import { organisationOf, type RequestContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** What look-ups cost: nothing, unless the operator has set a price. */
@Injectable()
export class LookupCharges {
  private readonly charges = new StatementLoader(
    sparingStrangers((members: readonly Member[]) => this.chargeAll(members)),
  );

  constructor(
    private readonly database: Database,
    private readonly prices: Prices,
    private readonly logger: AppLogger,
  ) {}

  /**
   * Takes the price of one look-up, once, however often its request runs.
   * @throws AppError 402
   */
  async take(context: RequestContext, e164: string): Promise<Member> {
    const member = {
      subjectId: context.operationId,
      organisationId: organisationOf(context),
      kobo: await this.prices.priceOf('lookup', e164),
    };
    return member.kobo === 0n ? member : { ...member, kobo: await this.charges.load(member) };
  }

  /** For a look-up that did not get what it paid for. Never fails: the look-up has an answer all the same. */
  async giveBack(taken: Member): Promise<void> {
    if (taken.kobo === 0n) return;
    try {
      await refund(this.database, [taken]);
    } catch (error) {
      this.logger.error({ err: error, lookup: taken.subjectId }, 'a look-up could not be refunded');
    }
  }

  /** What was taken: of a look-up that was charged before, what that was. */
  private async chargeAll(members: readonly Member[]): Promise<(bigint | Error)[]> {
    const spendings = await charge(this.database, members);
    return spendings.map((spending, place) =>
      spending.ok
        ? spending.balanceBefore - spending.balance
        : insufficientBalance(members[place]?.kobo ?? 0n, spending.available),
    );
  }
}
