import { charge, insufficientBalance, isolateLockedWallets, type Ledger, lockWallets } from '@gangan/billing';
import { Database, lockRetries, retryTransient, shareStatement, type Statements } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { insertOtps, isLimited, type NewOtp } from './new-otp.js';
import { checkSendLimits, countSends } from './send-limits.js';

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
      const results = await this.storeWithinLimits(transaction, otps);
      // An OTP without sufficient balance uses no limit: OTPs that were rejected after it are checked again.
      const rejected = otps.filter((otp) => hasStatus(results.get(otp), 429));
      if (rejected.length > 0 && [...results.values()].some((result) => hasStatus(result, 402))) {
        for (const [otp, result] of await this.storeWithinLimits(transaction, rejected))
          results.set(otp, result);
      }
      return otps.map((otp) => results.get(otp) ?? new Error('No result'));
    });
  }

  private async storeWithinLimits(
    transaction: Statements,
    otps: readonly NewOtp[],
  ): Promise<Map<NewOtp, StoredOtp | Error>> {
    const errors = checkSendLimits(otps, await transaction.run(countSends, otps));
    const accepted = otps.filter((_, index) => !errors[index]);
    const charged = await this.chargeAll(transaction, accepted);
    const toResult = (index: number): StoredOtp | Error =>
      errors[index] ?? charged.shift() ?? new Error('No result');
    return new Map(otps.map((otp, index) => [otp, toResult(index)]));
  }

  private async chargeAll(ledger: Ledger, otps: readonly NewOtp[]): Promise<(StoredOtp | Error)[]> {
    const members = otps.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
    const charges = await charge(ledger, members, insertOtps(otps));
    return charges.map((result, index) =>
      result.ok
        ? { repeated: result.repeated }
        : insufficientBalance(otps[index]?.kobo ?? 0n, result.available),
    );
  }
}

const hasStatus = (result: StoredOtp | Error | undefined, status: number): boolean =>
  result instanceof AppError && result.status === status;
