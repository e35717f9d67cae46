import { charge, insufficientBalance, type LedgerItem, Prices, isolateLockedWallets } from '@gangan/billing';
import { Database, StatementLoader } from '@gangan/database';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';

/** What look-ups cost that are answered from here: nothing, unless the operator has set a price. */
@Injectable()
export class LookupCharges {
  private readonly charges = new StatementLoader(
    isolateLockedWallets((members: readonly LedgerItem[]) => this.chargeAll(members)),
  );

  constructor(
    private readonly database: Database,
    private readonly prices: Prices,
  ) {}

  /**
   * Takes the price of one look-up, once, however often its request runs.
   * @throws AppError 402
   */
  async take(context: RequestContext, e164: string): Promise<void> {
    const kobo = await this.prices.priceOf('lookup', e164);
    if (kobo === 0n) return;
    await this.charges.load({
      subjectId: context.operationId,
      organisationId: requireOrganisationId(context),
      kobo,
    });
  }

  private async chargeAll(members: readonly LedgerItem[]): Promise<(true | Error)[]> {
    const spendings = await charge(this.database, members);
    return spendings.map(
      (spending, place) => spending.ok || insufficientBalance(members[place]?.kobo ?? 0n, spending.available),
    );
  }
}
