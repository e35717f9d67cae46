import {
  charge,
  isolateLockedWallets,
  type Ledger,
  lockWallets,
  spendError,
  spendWithinLimits,
} from '@gangan/billing';
import { Database, lockRetries, retryTransient, shareStatement } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { insertOtps, type NewOtp } from './new-otp.js';
import { checkSendLimits, countSends, isLimited } from '../sends/send-limits.js';

/** `repeated`: the OTP was stored before; nothing was changed. */
type StoredOtp = Readonly<{ repeated: boolean }>;

@Injectable()
export class RequestRepository {
  private readonly storeShared = shareStatement(
    isolateLockedWallets((otps: readonly NewOtp[]) => this.storeAll(otps)),
  );

  constructor(private readonly database: Database) {}

  /**
   * Charges for the OTP and stores it with its delivery, in one transaction. An OTP that exists is not changed.
   * @throws AppError 402, or 429 if a limit is reached
   */
  store(otp: NewOtp): Promise<StoredOtp> {
    // With limits, the wallet stays locked from the count to the charge: other requests may have to retry.
    return retryTransient(() => this.storeShared(otp), lockRetries);
  }

  /**
   * Locks the wallets, counts, then charges, in separate statements: a statement does not see rows that were committed
   * while it waited for a lock. Limits belong to an organisation, so the lock of its wallet protects all of them.
   */
  private storeAll(otps: readonly NewOtp[]): Promise<(StoredOtp | Error)[]> {
    if (!otps.some(isLimited)) return this.chargeAll(this.database, otps);
    return this.database.transaction(async (transaction) => {
      await lockWallets(transaction, [...new Set(otps.map(({ organisationId }) => organisationId))]);
      return spendWithinLimits(
        otps,
        async (open) => checkSendLimits(open, await transaction.run(countSends, open)),
        (accepted) => this.chargeAll(transaction, accepted),
      );
    });
  }

  private async chargeAll(ledger: Ledger, otps: readonly NewOtp[]): Promise<(StoredOtp | Error)[]> {
    const members = otps.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
    const charges = await charge(ledger, 'otp', members, insertOtps(otps));
    return charges.map((result, index) =>
      result.ok ? { repeated: result.repeated } : spendError(otps[index]?.kobo ?? 0n, result),
    );
  }
}
