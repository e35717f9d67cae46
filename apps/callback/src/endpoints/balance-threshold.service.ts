import type * as dto from '@gangan/contracts';
import { Database } from '@gangan/database';
import { notFound, type RequestContext, requireOrganisationId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';

const koboPerNaira = 100n;

/** The balance below which the endpoints of an organisation get `balance.low`. */
@Injectable()
export class BalanceThresholdService {
  constructor(private readonly database: Database) {}

  async find(context: RequestContext): Promise<dto.BalanceThreshold> {
    const wallet = await this.database.ledgerAccount.findFirst({
      where: walletOf(context),
      select: { lowBalanceKobo: true },
    });
    if (!wallet) throw notFound('The wallet');
    return { threshold: Number(wallet.lowBalanceKobo ?? 0n) / Number(koboPerNaira) };
  }

  async change(
    { threshold }: dto.ChangeBalanceThreshold,
    context: RequestContext,
  ): Promise<dto.BalanceThreshold> {
    const lowBalanceKobo = threshold === 0 ? null : BigInt(threshold) * koboPerNaira;
    await this.database.ledgerAccount.updateMany({ where: walletOf(context), data: { lowBalanceKobo } });
    return { threshold };
  }
}

const walletOf = (context: RequestContext) => ({
  organisationId: requireOrganisationId(context),
  kind: 'wallet' as const,
});
