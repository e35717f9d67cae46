import type { Channel, OtpDeliveryEnded } from '@gangan/contracts';
import {
  type AppError,
  newContext,
  newId,
  requireOrganisationId,
  type RequestContext,
} from '@gangan/protocol';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { OtpKey } from '../otp.repository.js';
import { FurtherSends } from './further-sends.js';
import type { NewSend } from './new-send.js';
import { nextStep } from './next-step.js';
import { SendsRepository } from './sends.repository.js';

const intervalMs = 1_000;
const maxExpired = 500;
const maxDue = 100;
const concurrency = 4;
/** Delay before an OTP that could not be advanced is retried, so that it does not block others. */
const retryMs = 5_000;

/**
 * Sends OTPs on the next channel when a delivery failed or is late, and ends those that have failed or expired. It calls
 * nothing outside the database, so a row lock suffices: if a worker dies, the step is rolled back and still due.
 */
@Injectable()
export class FallbackService {
  constructor(
    private readonly repository: SendsRepository,
    private readonly sends: FurtherSends,
    private readonly logger: AppLogger,
  ) {}

  /** If this event is lost, the sweeper finds the OTP: the failed delivery has made it due. */
  async deliveryEnded({ otp_id: id }: OtpDeliveryEnded, context: RequestContext): Promise<void> {
    await this.advanceOrPostpone({ id, organisationId: requireOrganisationId(context) }, context);
  }

  @Periodic('advancing due OTPs', intervalMs)
  async sweep(): Promise<boolean> {
    const expired = await this.repository.expireDue(maxExpired);
    const due = await this.repository.findDue(maxDue);
    const waiting = due.values();
    const work = async (): Promise<void> => {
      for (const key of waiting) await this.advanceOrPostpone(key, newContext(key));
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return expired === maxExpired || due.length === maxDue;
  }

  private async advanceOrPostpone(key: OtpKey, context: RequestContext): Promise<void> {
    try {
      await this.advance(key, context);
    } catch (error) {
      this.logger.warn({ err: error, otp: key.id }, 'could not advance an OTP; it will be retried');
      await this.repository.postpone(key, retryMs);
    }
  }

  private async advance(key: OtpKey, context: RequestContext): Promise<void> {
    const otp = await this.repository.find(key);
    if (!otp) return;
    const prepared = new Map<Channel, NewSend | AppError>();
    if (nextStep(otp).type === 'send') {
      for (const channel of otp.fallbackChannels) {
        prepared.set(channel, await this.sends.compose(otp, channel, newId()));
      }
    }
    const { sent, refused } = await this.repository.advance(key, prepared);
    for (const [channel, { code: reason }] of refused)
      this.logger.warn({ otp: key.id, channel, reason }, 'a fallback of an OTP was skipped');
    if (sent) this.sends.announce(sent, context);
  }
}
