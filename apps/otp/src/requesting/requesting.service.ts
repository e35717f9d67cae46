import { Prices } from '@gangan/billing';
import {
  type OtpRecord,
  otpStatuses,
  type ParsedPhone,
  parsePhone,
  type RequestOtpRequest,
  defaultOtpLength,
  defaultOtpMinutes,
} from '@gangan/contracts';
import { AppError, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { TextSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { RulesOfOrganisations } from '../organisation-rules.js';
import { OtpConfig } from '../otp.config.js';
import { noCarrier, notAPhone } from '../otp.errors.js';
import { OtpMetrics } from '../otp-metrics.js';
import { otpRecord } from '../otp-record.js';
import { OtpRepository } from '../otp.repository.js';
import { attemptsFor, newToken } from '../token.js';
import { TokenDigests } from '../token-digests.js';
import { Carriers } from './carriers.js';
import { destinationRefusal } from './destinations.js';
import { DueAnnouncer } from './due-announcer.js';
import type { Order } from './order.js';
import { otpMessage } from './otp-message.js';
import { RequestsRepository } from './requests.repository.js';

@Injectable()
export class RequestingService {
  constructor(
    private readonly repository: RequestsRepository,
    private readonly otps: OtpRepository,
    private readonly rules: RulesOfOrganisations,
    private readonly carriers: Carriers,
    private readonly prices: Prices,
    private readonly digests: TokenDigests,
    private readonly sealer: TextSealer,
    private readonly announcer: DueAnnouncer,
    private readonly metrics: OtpMetrics,
    private readonly config: OtpConfig,
  ) {}

  /** The answer tells of the moment of the request, also when the queue runs it again later. */
  async request(request: RequestOtpRequest, context: RequestContext): Promise<OtpRecord> {
    const phone = parsePhone(request.recipient, this.config.DEFAULT_REGION);
    if (!phone) throw notAPhone();
    try {
      const { repeated } = await this.repository.place(await this.orderOf(request, phone, context));
      if (!repeated) this.metrics.countRequest(phone);
    } catch (error) {
      // What was accepted stays accepted, whatever its organisation has narrowed meanwhile.
      if (!(await this.wasAccepted(error, context))) {
        this.metrics.countRefusal(error);
        throw error;
      }
    }
    this.announcer.announce(context);
    return otpRecord({
      id: context.operationId,
      recipientGiven: request.recipient,
      status: otpStatuses.SENT,
      createdAt: timeOfId(context.operationId),
      updatedAt: null,
    });
  }

  private async wasAccepted(error: unknown, context: RequestContext): Promise<boolean> {
    if (!(error instanceof AppError) || error.status !== 403) return false;
    const own = { id: context.operationId, organisationId: requireOrganisationId(context) };
    return (await this.otps.find(own)) !== undefined;
  }

  private async orderOf(
    request: RequestOtpRequest,
    phone: ParsedPhone,
    context: RequestContext,
  ): Promise<Order> {
    const [id, organisationId] = [context.operationId, requireOrganisationId(context)];
    const { channel = 'sms', expires_in: minutes = defaultOtpMinutes } = request;
    const rules = await this.rules.of(organisationId);
    if (!this.carriers.reach(rules.mode)) throw noCarrier();
    const refusal = destinationRefusal(phone, rules.settings);
    if (refusal) throw refusal;
    const token = request.token ?? newToken(request.length ?? defaultOtpLength);
    const { body, pages } = otpMessage({ channel, token, minutes }, rules.settings, this.config);
    return {
      id,
      organisationId,
      recipient: phone.e164,
      recipientGiven: request.recipient,
      channel,
      digest: this.digests.digest({ organisationId, otpId: id, token }),
      maxAttempts: attemptsFor(token),
      seconds: minutes * 60,
      sealedBody: this.sealer.seal(JSON.stringify(body), id),
      pages,
      kobo: BigInt(pages) * (await this.prices.priceOf(channel, phone.e164)),
      requestId: context.requestId,
      createdAt: timeOfId(id),
      caps: rules,
    };
  }
}
