import { type Channel, parsePhone } from '@gangan/contracts';
import type { OtpOutcome } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

type Label = 'channel' | 'country';

/** A country with many requests and few verifications is a sign of SMS pumping. */
@Injectable()
export class OtpMetrics {
  private readonly requested: Counter<Label>;
  private readonly sent: Counter<Label>;
  private readonly verified: Counter<Label>;
  private readonly verifications: Counter<'outcome'>;
  private readonly refused: Counter<'reason'>;

  constructor(registry: Registry) {
    const counter = <L extends string>(name: string, labelNames: L[], help: string): Counter<L> =>
      new Counter({ name: `gangan_otp_${name}_total`, help, labelNames, registers: [registry] });
    const labels: Label[] = ['channel', 'country'];
    this.requested = counter('requested', labels, 'Accepted OTP requests, by channel and country');
    this.sent = counter(
      'sends',
      labels,
      'Messages with OTPs, first and further ones, by channel and country',
    );
    this.verified = counter(
      'verified',
      labels,
      'Verified OTPs, by the channel of the last message and the country',
    );
    this.verifications = counter('verifications', ['outcome'], 'Verification attempts, by outcome');
    this.refused = counter('refused', ['reason'], 'Rejected requests to send an OTP, by reason');
  }

  /** Counts a request, which sends the first message. */
  countRequest(channel: Channel, country = 'unknown'): void {
    this.requested.inc({ channel, country });
    this.countSend(channel, country);
  }

  countSend(channel: Channel, country = 'unknown'): void {
    this.sent.inc({ channel, country });
  }

  countVerification(
    outcome: OtpOutcome | 'unknown_otp',
    otp?: { readonly recipient: string; readonly channel: Channel },
  ): void {
    this.verifications.inc({ outcome });
    if (outcome !== 'verified' || !otp) return;
    this.verified.inc({ channel: otp.channel, country: parsePhone(otp.recipient)?.country ?? 'unknown' });
  }

  countRejection(error: unknown): void {
    if (error instanceof AppError && error.status < 500) this.refused.inc({ reason: error.code });
  }
}
