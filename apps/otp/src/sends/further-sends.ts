import { type Channel, parsePhone } from '@gangan/contracts';
import { AppError, type RequestContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { invalidRecipient, resendErrors } from '../otp.errors.js';
import { OtpMetrics } from '../otp.metrics.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { sealedTokenPlace } from '../tokens.js';
import type { NewSend } from './new-send.js';
import type { OtpWithSends } from './otp-with-sends.js';
import { SendComposer } from './send-composer.js';

/** What resends and fallbacks share. */
@Injectable()
export class FurtherSends {
  constructor(
    private readonly composer: SendComposer,
    private readonly sealer: DataSealer,
    private readonly announcer: DeliveryAnnouncer,
    private readonly metrics: OtpMetrics,
    private readonly logger: AppLogger,
  ) {}

  /**
   * @returns the error if the OTP may not be sent on this channel
   * @throws if it cannot be prepared now, for example because the database is unavailable
   */
  async compose(otp: OtpWithSends, channel: Channel, id: string): Promise<NewSend | AppError> {
    const { id: otpId, organisationId, recipient, recipientGiven } = otp;
    const phone = parsePhone(recipient);
    if (!phone) throw invalidRecipient(recipient);
    const input = {
      id,
      organisationId,
      channel,
      phone,
      token: this.openToken(otp),
      minutes: minutesLeft(otp),
    };
    const composed = await this.composer.compose(input);
    if (composed instanceof AppError) return composed;
    return { id, otpId, organisationId, recipient, recipientGiven, channel, ...composed };
  }

  /** Call it after the commit. */
  announce({ id, channel, recipient }: NewSend, context: RequestContext): void {
    this.metrics.countSend(channel, parsePhone(recipient)?.country);
    this.announcer.announce(context, id);
  }

  private openToken(otp: OtpWithSends): string {
    if (otp.sealedToken === null) throw resendErrors.tokenUnavailable();
    try {
      return this.sealer.open(otp.sealedToken, sealedTokenPlace(otp));
    } catch (error) {
      this.logger.error({ otp: otp.id, reason: String(error) }, 'could not open a sealed token');
      throw resendErrors.tokenUnavailable();
    }
  }
}

/** Whole minutes, rounded down; less than one minute keeps its decimals. */
function minutesLeft({ now, expiresAt }: OtpWithSends): number {
  const minutes = (expiresAt.getTime() - now.getTime()) / 60_000;
  return minutes < 1 ? minutes : Math.floor(minutes);
}
