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
    const registers = [registry];
    this.requested = new Counter({
      name: 'gangan_otp_requested_total',
      help: 'Accepted OTP requests, by the country of the recipient',
      labelNames: ['country'],
      registers,
    });
    this.verified = new Counter({
      name: 'gangan_otp_verified_total',
      help: 'Verified OTPs, by the country of the recipient',
      labelNames: ['country'],
      registers,
    });
    this.verifications = new Counter({
      name: 'gangan_otp_verifications_total',
      help: 'Verification attempts, by outcome',
      labelNames: ['outcome'],
      registers,
    });
    this.refused = new Counter({
      name: 'gangan_otp_refused_total',
      help: 'Refused OTP requests, by reason',
      labelNames: ['reason'],
      registers,
    });
  }

  countRequest(phone: Pick<ParsedPhone, 'country'>): void {
    this.requested.inc({ country: phone.country ?? 'unknown' });
  }

  countVerification(outcome: OtpOutcome | 'unknown_otp', recipient: string | undefined): void {
    this.verifications.inc({ outcome });
    if (outcome !== 'verified') return;
    this.verified.inc({ country: parsePhone(recipient ?? '')?.country ?? 'unknown' });
  }

  countRefusal(error: unknown): void {
    if (error instanceof AppError && error.status < 500) this.refused.inc({ reason: error.code });
  }
}
