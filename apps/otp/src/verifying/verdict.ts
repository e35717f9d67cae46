import type { OtpOutcome } from '@gangan/database';
import { type AppError, internalError } from '@gangan/protocol';
import {
  alreadyVerified,
  attemptsUsedUp,
  tokenExpired,
  tokenMismatch,
  tokenRevoked,
  tokenUndeliverable,
  triesUsedUp,
} from '../otp.errors.js';

/** What was decided about one request to verify, now or when it ran before. */
export interface Verdict {
  /** Of the request. */
  readonly id: string;
  readonly outcome: OtpOutcome;
  readonly attemptsLeft: number;
  /** Seconds, where there is something to wait for. */
  readonly retryAfter: number | null;
  readonly repeated: boolean;
  readonly otpId: string;
  readonly recipient: string;
  readonly recipientGiven: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** How a verdict other than `verified` is answered. */
export function refusalOf({ outcome, attemptsLeft, retryAfter }: Verdict): AppError {
  switch (outcome) {
    case 'mismatch':
      return tokenMismatch(attemptsLeft);
    case 'exhausted':
    case 'ended':
      return attemptsUsedUp(retryAfter ?? 1);
    case 'capped':
      return triesUsedUp(retryAfter ?? 1);
    case 'expired':
      return tokenExpired();
    case 'revoked':
      return tokenRevoked();
    case 'undeliverable':
      return tokenUndeliverable();
    case 'already_verified':
      return alreadyVerified();
    case 'verified':
      return internalError();
  }
}
