import {
  type FindSmsRequest,
  type ListSmsRequest,
  parseTimestamp,
  type SendSmsRequest,
  type SmsDetails,
  type SmsMessage,
  type SmsPage,
  defaultPageSize,
} from '@gangan/contracts';
import { AppError, isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { DeliveryAnnouncer } from '../schedule/delivery-announcer.js';
import { ExpansionAnnouncer } from '../audience/expansion-announcer.js';
import { ExpansionRepository } from '../audience/audience.repository.js';
import { detailsAnswer, listedAnswer, messageAnswer, type MessageRow } from './message-response.js';
import { noSuchMessage } from './messages.errors.js';
import { MessagingRepository } from './messages.repository.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { Drafting } from './message-orders.js';
import type { Order } from './order.js';

@Injectable()
export class MessagingService {
  constructor(
    private readonly drafting: Drafting,
    private readonly repository: MessagingRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly announcer: DeliveryAnnouncer,
    private readonly expansions: ExpansionRepository,
    private readonly expansionAnnouncer: ExpansionAnnouncer,
  ) {}

  /** The answer tells of the moment of acceptance, also when the queue runs the request again later. */
  async send(request: SendSmsRequest, context: RequestContext): Promise<SmsMessage> {
    try {
      const order = await this.drafting.orderOf(request, context);
      const { balance, perhapsEarlier } = await this.repository.accept(order);
      void this.announcer.announce({
        organisationId: order.organisationId,
        deliveryIds: order.deliveries.map(({ id }) => id),
      });
      if (order.list !== null) void this.expansionAnnouncer.announce(order.id);
      const earlier = perhapsEarlier ? await this.ownRow(context) : undefined;
      return sendAnswer(earlier ?? rowOf(order, balance));
    } catch (error) {
      // What was accepted stays accepted, whatever became of its template or its sender meanwhile.
      const earlier =
        error instanceof AppError && error.status === 400 ? await this.ownRow(context) : undefined;
      if (earlier) return sendAnswer(earlier);
      throw error;
    }
  }

  async find({ id, after }: FindSmsRequest, context: RequestContext): Promise<SmsDetails> {
    const found =
      isId(id) && (await this.repository.find({ id, organisationId: requireOrganisationId(context) }));
    if (!found) throw noSuchMessage();
    if (found.smartlistId === null)
      return detailsAnswer(found, { deliveries: await this.deliveries.ofMessage(found.id) });
    const [expansion, page] = await Promise.all([
      this.expansions.find(found.id),
      this.deliveries.pageOf(found.id, after?.toLowerCase()),
    ]);
    return detailsAnswer(found, { ...page, ...(expansion && { expansion }) });
  }

  async list(request: ListSmsRequest, context: RequestContext): Promise<SmsPage> {
    const { limit = defaultPageSize, page, before, status, since, until } = request;
    const rows = await this.repository.list({
      organisationId: requireOrganisationId(context),
      limit: limit + 1,
      skip: ((page ?? 1) - 1) * limit,
      before: before?.toLowerCase(),
      status,
      since: since === undefined ? undefined : parseTimestamp(since),
      until: until === undefined ? undefined : parseTimestamp(until),
    });
    const listed = rows.slice(0, limit);
    const next = rows.length > limit ? listed.at(-1)?.id : undefined;
    const pagination = { limit, ...(page !== undefined && { page }), ...(next !== undefined && { next }) };
    return {
      messages: listed.map(listedAnswer),
      meta: { method: 'GET', resource: '/sms', pagination },
    };
  }

  private ownRow(context: RequestContext): Promise<MessageRow | undefined> {
    return this.repository.find({ id: context.operationId, organisationId: requireOrganisationId(context) });
  }
}

const sendAnswer = (row: MessageRow): SmsMessage => messageAnswer(row, 'POST', '/sms/send');

const rowOf = (order: Order, balance: bigint): MessageRow => ({
  ...order,
  ...order.paging,
  recipients: order.deliveries.map(({ recipientGiven }) => recipientGiven),
  balance,
});
