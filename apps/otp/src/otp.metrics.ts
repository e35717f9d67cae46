import { type ParsedPhone, parsePhone } from '@gangan/contracts';
import type { OtpOutcome } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** A country with many requests and few verifications is a sign of SMS pumping. */
@Injectable()
export class OtpMetrics {
  private readonly requested: Counter<'country'>;
  private readonly verified: Counter<'country'>;
  private readonly verifications: Counter<'outcome'>;
  private readonly refused: Counter<'reason'>;

  constructor(registry: Registry) {
    const counter = <L extends string>(name: string, label: L, help: string): Counter<L> =>
      new Counter({ name: `gangan_otp_${name}_total`, help, labelNames: [label], registers: [registry] });
    this.requested = counter(
      'requested',
      'country',
      'Accepted OTP requests, by the country of the recipient',
    );
    this.verified = counter('verified', 'country', 'Verified OTPs, by the country of the recipient');
    this.verifications = counter('verifications', 'outcome', 'Verification attempts, by outcome');
    this.refused = counter('refused', 'reason', 'Rejected OTP requests, by reason');
  }

  countRequest(phone: Pick<ParsedPhone, 'country'>): void {
    this.requested.inc({ country: phone.country ?? 'unknown' });
  }

  countVerification(outcome: OtpOutcome | 'unknown_otp', recipient: string | undefined): void {
    this.verifications.inc({ outcome });
    if (outcome !== 'verified') return;
    this.verified.inc({ country: parsePhone(recipient ?? '')?.country ?? 'unknown' });
  }

  countRejection(error: unknown): void {
    if (error instanceof AppError && error.status < 500) this.refused.inc({ reason: error.code });
  }
}
