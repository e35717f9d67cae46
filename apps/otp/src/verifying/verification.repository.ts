import { isolateLockedWallets } from '@gangan/billing';
import { Database, lockRetries, retryTransient, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { deciding } from './deciding.js';
import { locking } from './locking.js';
import { roundsOf, type Try } from './try.js';
import type { Verdict } from './verdict.js';

@Injectable()
export class VerificationRepository {
  private readonly tries = new StatementLoader(
    isolateLockedWallets(
      (tries: readonly Try[]) => this.decideAll(tries),
      ({ otpId }) => otpId,
    ),
  );

  constructor(private readonly database: Database) {}

  /** Decides and counts, once per request; nothing where the organisation has no such OTP. */
  async decide(attempt: Try): Promise<Verdict | undefined> {
    return (await retryTransient(() => this.tries.load(attempt), lockRetries)).verdict;
  }

  /**
   * Wrong tries of a recipient are counted over all its OTPs, by rows that others may be writing: lock, then look. An
   * OTP that somebody holds for longer fails alone.
   */
  private decideAll(tries: readonly Try[]): Promise<{ verdict: Verdict | undefined }[]> {
    return this.database.transaction(async (transaction) => {
      const locked = await transaction.query<{ id: string; recipient: string }>(locking(tries));
      const recipients = new Map(locked.map(({ id, recipient }) => [id, recipient]));
      const distinct = [...new Map(tries.map((attempt) => [attempt.id, attempt])).values()];
      const known = distinct.filter(({ otpId }) => recipients.has(otpId));
      const verdicts = new Map<string, Verdict>();
      for (const round of roundsOf(known, ({ otpId }) => recipients.get(otpId))) {
        for (const verdict of await transaction.query<Verdict>(deciding(round))) {
          verdicts.set(verdict.id, verdict);
        }
      }
      return tries.map(({ id }) => ({ verdict: verdicts.get(id) }));
    });
  }
}
