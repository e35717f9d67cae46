import { otpReasons } from '@gangan/contracts';
import { isolateLockedWallets } from '@gangan/billing';
import { type NewCallback, otpCallback, recordCallbacks } from '@gangan/callbacks';
import { Database, lockRetries, retryTransient, shareStatement } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { decideAttempts, lockOtps, type VerifyAttempt, type VerifyResult } from './decide.js';

@Injectable()
export class VerifyRepository {
  private readonly decideShared = shareStatement(
    isolateLockedWallets(
      (attempts: readonly VerifyAttempt[]) => this.decideAll(attempts),
      ({ otpId }) => otpId,
    ),
  );

  constructor(private readonly database: Database) {}

  /** Decides and counts an attempt, once per request. Returns `undefined` if the organisation has no such OTP. */
  decide(attempt: VerifyAttempt): Promise<VerifyResult | undefined> {
    return retryTransient(() => this.decideShared(attempt), lockRetries);
  }

  /** Wrong tokens are counted over all OTPs of a recipient, so recipients are locked before the count. */
  private decideAll(attempts: readonly VerifyAttempt[]): Promise<(VerifyResult | undefined)[]> {
    const keys = new Map(attempts.map((attempt) => [attempt.otpId + attempt.organisationId, attempt]));
    const sorted = [...keys.values()].sort((one, other) => (one.otpId < other.otpId ? -1 : 1));
    return this.database.transaction(async (transaction) => {
      const locked = await transaction.run(
        lockOtps,
        sorted.map(({ otpId }) => otpId),
        sorted.map(({ organisationId }) => organisationId),
      );
      const recipients = new Map(locked.map(({ id, recipient }) => [id, recipient]));
      const distinct = [...new Map(attempts.map((attempt) => [attempt.id, attempt])).values()];
      const known = distinct.filter(({ otpId }) => recipients.has(otpId));
      const results = new Map<string, VerifyResult>();
      for (const group of splitIntoGroups(known, recipients)) {
        for (const result of await transaction.run(decideAttempts, group)) results.set(result.id, result);
      }
      await recordCallbacks(
        transaction,
        known.flatMap((attempt) => callbacksOf(attempt, results.get(attempt.id))),
      );
      return attempts.map(({ id }) => results.get(id));
    });
  }
}

/**
 * Callbacks for the endpoints of the organisation. The callback worker finds them, so that verifying does not wait for
 * the queue.
 */
function callbacksOf(attempt: VerifyAttempt, result: VerifyResult | undefined): NewCallback[] {
  if (!result?.isReported) return [];
  const { otpId, organisationId, requestId } = attempt;
  const { recipientGiven: recipient, channel, updatedAt, createdAt } = result;
  const event = { otpId, organisationId, requestId, recipient, channel, at: updatedAt ?? createdAt };
  return [
    result.outcome === 'verified'
      ? otpCallback({ ...event, status: 'verified' })
      : otpCallback({ ...event, status: 'failed', reason: attemptsUsedUp }),
  ];
}

const attemptsUsedUp = { code: 'too_many_attempts', message: otpReasons.too_many_attempts };

/** No group has two attempts of one recipient, so that each attempt sees the result of the one before it. */
function splitIntoGroups(
  attempts: readonly VerifyAttempt[],
  recipients: ReadonlyMap<string, string>,
): VerifyAttempt[][] {
  const groups: VerifyAttempt[][] = [];
  const counts = new Map<string, number>();
  for (const attempt of attempts) {
    const key = `${attempt.organisationId} ${recipients.get(attempt.otpId) ?? ''}`;
    const group = counts.get(key) ?? 0;
    counts.set(key, group + 1);
    (groups[group] ??= []).push(attempt);
  }
  return groups;
}
