import { Prices } from '@gangan/billing';
import {
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
import { OrganisationRulesCache } from '../organisation-rules.js';
import { OtpConfig } from '../otp.config.js';
import { invalidRecipient } from '../otp.errors.js';
import { OtpMetrics } from '../otp.metrics.js';
import { toRecord } from '../otp-record.js';
import { OtpRepository } from '../otp.repository.js';
import { attemptsFor, newToken, TokenDigests } from '../tokens.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import type { NewOtp } from './new-otp.js';
import { checkDestination, createMessage } from './otp-message.js';
import { OtpRoutes } from './otp-routes.js';
import { RequestRepository } from './request.repository.js';

@Injectable()
export class RequestService {
  constructor(
    private readonly repository: RequestRepository,
    private readonly otps: OtpRepository,
    private readonly rules: OrganisationRulesCache,
    private readonly prices: Prices,
    private readonly digests: TokenDigests,
    private readonly sealer: DataSealer,
    private readonly announcer: DeliveryAnnouncer,
    private readonly metrics: OtpMetrics,
    private readonly config: OtpConfig,
    private readonly routes: OtpRoutes,
  ) {}

  /** Returns the OTP as it was requested, even if the queue runs the request again later. */
  async request(request: RequestOtpRequest, context: RequestContext): Promise<OtpRecord> {
    const phone = parsePhone(request.recipient, this.config.DEFAULT_REGION);
    if (!phone) throw invalidRecipient();
    try {
      const { repeated } = await this.repository.store(await this.createOtp(request, phone, context));
      if (!repeated) this.metrics.countRequest(phone);
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
    const { channel = 'sms', expires_in: minutes = defaultOtpMinutes } = request;
    const rules = await this.rules.get(organisationId);
    const { mode, defaultSender: sender } = rules;
    const token = request.token ?? newToken(request.length ?? defaultOtpLength);
    const { body, pages } = createMessage({ channel, token, minutes }, rules.settings, this.config);
    const { template } = body;
    const route = { id, organisationId, mode, channel, sender, recipient: phone.e164, template };
    const error = (await this.routes.findError(route)) ?? checkDestination(phone, rules.settings);
    if (error) throw error;
    return {
      id,
      organisationId,
      recipient: phone.e164,
      recipientGiven: request.recipient,
      channel,
      digest: this.digests.digest({ organisationId, otpId: id, token }),
      maxAttempts: attemptsFor(token),
      seconds: minutes * 60,
      sealedBody: this.sealer.seal(JSON.stringify(body), {
        column: 'delivery.sealed_body',
        organisationId,
        id,
      }),
      pages,
      kobo: BigInt(pages) * (await this.prices.priceOf(channel, phone.e164)),
      requestId: context.requestId,
      createdAt: timeOfId(id),
      limits: rules,
    };
  }
}
