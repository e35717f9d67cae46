import type { OtpDetails, ResendOtpRequest } from '@gangan/contracts';
import { AppError, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { otpNotFound, resendErrors } from '../otp.errors.js';
import { OtpMetrics } from '../otp.metrics.js';
import { OtpService, toKey } from '../otp.service.js';
import { FurtherSends } from './further-sends.js';
import { failedAt, isTooLate } from './next-step.js';
import type { OtpWithSends } from './otp-with-sends.js';
import { SendsRepository } from './sends.repository.js';

/** Organisations without other limits could otherwise send one OTP without end. */
const maxSends = 10;

@Injectable()
export class ResendService {
  constructor(
    private readonly repository: SendsRepository,
    private readonly sends: FurtherSends,
    private readonly otps: OtpService,
    private readonly metrics: OtpMetrics,
  ) {}

  /** Sends once, even if the queue runs the request again: the delivery has the id of the request. */
  async resend({ id, channel }: ResendOtpRequest, context: RequestContext): Promise<OtpDetails> {
    const key = toKey(id, context);
    const otp = await this.repository.find(key);
    if (!otp) throw otpNotFound();
    if (!otp.sends.some((send) => send.id === context.operationId)) {
      try {
        const error = findError(otp);
        if (error) throw error;
        const send = await this.sends.compose(otp, channel ?? otp.channel, context.operationId);
        if (send instanceof AppError) throw send;
        const result = await this.repository.add(key, send, findError);
        if (result === 'added') this.sends.announce(send, context);
      } catch (error) {
        this.metrics.countRejection(error);
        throw error;
      }
    }
    return this.otps.find({ id }, context);
  }
}

/** Why an OTP cannot be sent again. */
function findError(otp: OtpWithSends): AppError | undefined {
  const { status, attempts, maxAttempts, now, expiresAt } = otp;
  if (status === 2) return resendErrors.verified();
  if (status === 5) return resendErrors.revoked();
  if (status === 4 && attempts >= maxAttempts) return resendErrors.exhausted();
  if (status === 4 || failedAt(otp)) return resendErrors.undeliverable();
  if (status === 3 || now >= expiresAt) return resendErrors.expired();
  if (isTooLate(otp)) return resendErrors.aboutToExpire();
  return otp.sends.length >= maxSends ? resendErrors.tooManySends() : undefined;
}
