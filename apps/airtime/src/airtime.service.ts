import { toKobo } from '@gangan/billing';
import {
  type AirtimePage,
  type AirtimePurchase,
  type BuyAirtimeRequest,
  type FindAirtimeRequest,
  type ListAirtimeRequest,
  parseTimestamp,
  parseNigerianPhone,
  defaultPageSize,
} from '@gangan/contracts';
import { OrganisationModes } from '@gangan/database';
import { isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { noProvider, noSuchPurchase, notAnAmount, notAPhone } from './airtime.errors.js';
import { AirtimeRepository } from './airtime.repository.js';
import { DueAnnouncer } from './due-announcer.js';
import { Providers } from './providers/providers.js';
import { purchaseAnswer } from './purchase-answer.js';

@Injectable()
export class AirtimeService {
  constructor(
    private readonly repository: AirtimeRepository,
    private readonly providers: Providers,
    private readonly modes: OrganisationModes,
    private readonly announcer: DueAnnouncer,
  ) {}

  /** The answer tells of the moment of the purchase, also when the queue runs the request again later. */
  async buy(request: BuyAirtimeRequest, context: RequestContext): Promise<AirtimePurchase> {
    const order = this.orderOf(request, context);
    if (this.providers.of(await this.modes.of(order.organisationId)).length === 0) throw noProvider();
    const { balanceBefore } = await this.repository.place(order);
    void this.announcer.announce(order.id);
    const asPlaced = { ...order, state: 'pending', refunded: false, balanceBefore, updatedAt: null } as const;
    return purchaseAnswer(asPlaced, 'POST', '/airtime/buy');
  }

  async find({ id }: FindAirtimeRequest, context: RequestContext): Promise<AirtimePurchase> {
    const found =
      isId(id) && (await this.repository.find({ id, organisationId: requireOrganisationId(context) }));
    if (!found) throw noSuchPurchase();
    return purchaseAnswer(found, 'GET', `/airtime/${found.id}`);
  }

  async list(request: ListAirtimeRequest, context: RequestContext): Promise<AirtimePage> {
    const { limit = defaultPageSize, before, status, since, until } = request;
    const rows = await this.repository.list({
      organisationId: requireOrganisationId(context),
      limit: limit + 1,
      before: before?.toLowerCase(),
      status,
      since: since === undefined ? undefined : parseTimestamp(since),
      until: until === undefined ? undefined : parseTimestamp(until),
    });
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? page.at(-1)?.id : undefined;
    return {
      purchases: page.map((row) => purchaseAnswer(row, 'GET', '/airtime')),
      meta: {
        method: 'GET',
        resource: '/airtime',
        pagination: { limit, ...(next !== undefined && { next }) },
      },
    };
  }

  private orderOf(request: BuyAirtimeRequest, context: RequestContext) {
    const phone = parseNigerianPhone(request.recipient);
    if (!phone) throw notAPhone();
    const kobo = toKobo(request.amount);
    if (kobo === undefined || kobo <= 0n) throw notAnAmount();
    return {
      id: context.operationId,
      organisationId: requireOrganisationId(context),
      network: request.network,
      recipient: phone.e164,
      recipientGiven: request.recipient,
      kobo,
      externalRef: request.external_ref ?? null,
      callbackUrl: request.callback ?? null,
      requestId: context.requestId,
      createdAt: timeOfId(context.operationId),
      errorCode: null,
      errorMessage: null,
    };
  }
}
