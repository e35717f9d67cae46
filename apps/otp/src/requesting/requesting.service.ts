import { Prices } from '@gangan/billing';
import {
  type OtpRecord,
  otpStatuses,
  type ParsedPhone,
  parsePhone,
  type RequestOtpRequest,
  usualOtpLength,
  usualOtpMinutes,
} from '@gangan/contracts';
import { type AppError, organisationOf, type RequestContext, timeOfId } from '@gangan/protocol';
import { TextSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { RulesOfOrganisations } from '../organisation-rules.js';
import { OtpConfig } from '../otp.config.js';
import { notAPhone } from '../otp.errors.js';
import { OtpMetrics } from '../otp-metrics.js';
import { otpRecord } from '../otp-record.js';
import { attemptsFor, newToken } from '../token.js';
import { TokenDigests } from '../token-digests.js';
import { destinationRefusal } from './destinations.js';
import { DueAnnouncer } from './due-announcer.js';
import type { Order } from './order.js';
import { otpMessage } from './otp-message.js';
import { RequestsRepository } from './requests.repository.js';

@Injectable()
export class RequestingService {
  constructor(
    private readonly repository: RequestsRepository,
    private readonly rules: RulesOfOrganisations,
    private readonly prices: Prices,
    private readonly digests: TokenDigests,
    private readonly sealer: TextSealer,
    private readonly announcer: DueAnnouncer,
    private readonly metrics: OtpMetrics,
    private readonly config: OtpConfig,
  ) {}

  /** The answer tells of the moment of the request, also when the queue runs it again later. */
  async request(request: RequestOtpRequest, context: RequestContext): Promise<OtpRecord> {
    const phone = parsePhone(request.recipient);
    if (!phone) throw notAPhone();
    const order = await this.orderOf(request, phone, context);
    const { repeated } = await this.repository.place(order).catch((error: unknown) => {
      this.metrics.countRefusal(error);
      throw error;
    });
    this.announcer.announce(context);
    if (!repeated) this.metrics.countRequest(phone);
    return otpRecord({ ...order, status: otpStatuses.SENT, updatedAt: null });
  }

  private async orderOf(
    request: RequestOtpRequest,
    phone: ParsedPhone,
    context: RequestContext,
  ): Promise<Order> {
    const [id, organisationId] = [context.operationId, organisationOf(context)];
    const { channel = 'sms', expires_in: minutes = usualOtpMinutes } = request;
    const rules = await this.rules.of(organisationId);
    this.refuse(destinationRefusal(phone, rules.settings));
    const token = request.token ?? newToken(request.length ?? usualOtpLength);
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

  private refuse(refusal: AppError | undefined): void {
    if (!refusal) return;
    this.metrics.countRefusal(refusal);
    throw refusal;
  }
}
