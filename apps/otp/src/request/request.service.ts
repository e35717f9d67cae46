import {
  defaultFallbackAfter,
  defaultOtpLength,
  defaultOtpMinutes,
  type OtpRecord,
  otpStatuses,
  type ParsedPhone,
  parsePhone,
  type RequestOtpRequest,
} from '@gangan/contracts';
import {
  AppError,
  keepUnknown,
  requireOrganisationId,
  type RequestContext,
  timeOfId,
} from '@gangan/protocol';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from '../otp.config.js';
import { invalidRecipient } from '../otp.errors.js';
import { OtpMetrics } from '../otp.metrics.js';
import { toRecord } from '../otp-record.js';
import { OtpRepository } from '../otp.repository.js';
import { SendComposer } from '../sends/send-composer.js';
import { attemptsFor, newToken, sealedTokenPlace, TokenDigests } from '../tokens.js';
import { DeliveryAnnouncer } from '../sends/delivery-announcer.js';
import type { NewOtp } from './new-otp.js';
import { RequestRepository } from './request.repository.js';

@Injectable()
export class RequestService {
  constructor(
    private readonly repository: RequestRepository,
    private readonly otps: OtpRepository,
    private readonly composer: SendComposer,
    private readonly digests: TokenDigests,
    private readonly sealer: DataSealer,
    private readonly announcer: DeliveryAnnouncer,
    private readonly metrics: OtpMetrics,
    private readonly config: OtpConfig,
  ) {}

  /** Returns the OTP as it was requested, even if the queue runs the request again later. */
  async request(request: RequestOtpRequest, context: RequestContext): Promise<OtpRecord> {
    const phone = parsePhone(request.recipient, this.config.DEFAULT_REGION);
    if (!phone) throw invalidRecipient(request.recipient);
    try {
      const { repeated } = await this.repository.store(await this.createOtp(request, phone, context));
      if (!repeated) this.metrics.countRequest(request.channel ?? 'sms', phone.country);
    } catch (error) {
      // If an earlier run stored the OTP, return it, even if settings or providers have changed since.
      if (!(await this.wasAccepted(error, context))) {
        this.metrics.countRejection(error);
        throw error;
      }
    }
    this.announcer.announce(context);
    return toRecord({
      id: context.operationId,
      recipientGiven: request.recipient,
      status: otpStatuses.SENT,
      createdAt: timeOfId(context.operationId),
      updatedAt: null,
    });
  }

  private async wasAccepted(error: unknown, context: RequestContext): Promise<boolean> {
    if (!(error instanceof AppError) || ![400, 403, 503].includes(error.status)) return false;
    const key = { id: context.operationId, organisationId: requireOrganisationId(context) };
    return (await this.otps.find(key).catch(keepUnknown(error))) !== undefined;
  }

  private async createOtp(
    request: RequestOtpRequest,
    phone: ParsedPhone,
    context: RequestContext,
  ): Promise<NewOtp> {
    const [id, organisationId] = [context.operationId, requireOrganisationId(context)];
    const { channel = 'sms', expires_in: minutes = defaultOtpMinutes, fallback_channels: fallback } = request;
    const token = request.token ?? newToken(request.length ?? defaultOtpLength);
    const seconds = minutes * 60;
    const { fallback_after: fallbackAfter = defaultFallbackAfter(seconds) } = request;
    const composed = await this.composer.compose({ id, organisationId, channel, phone, token, minutes });
    if (composed instanceof AppError) throw composed;
    return {
      id,
      organisationId,
      recipient: phone.e164,
      recipientGiven: request.recipient,
      channel,
      fallbackChannels: fallback?.join(',') ?? '',
      fallbackAfter: fallback?.length ? fallbackAfter : null,
      digest: this.digests.digest({ organisationId, otpId: id, token }),
      maxAttempts: attemptsFor(token),
      seconds,
      sealedToken: this.sealer.seal(token, sealedTokenPlace({ id, organisationId })),
      requestId: context.requestId,
      createdAt: timeOfId(id),
      ...composed,
    };
  }
}
