import { type PriceList, Prices } from '@gangan/billing';
import {
  isAllowedCountry,
  type MessageCategory,
  type SendSmsRequest,
  type TextSize,
} from '@gangan/contracts';
import type { Message, OrganisationMode } from '@gangan/database';
import {
  type FieldError,
  findInSlices,
  invalidRequest,
  isId,
  type RequestContext,
  requireOrganisationId,
  timeOfId,
} from '@gangan/protocol';
import type { PortedNumbers } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import { chargedRows, type ChargedRows, RowPrices } from '../audience/row-prices.js';
import { SmartlistPricing } from '../audience/smartlist-pricing.js';
import { InboxRepository, type RepliedMessage } from '../inbox/inbox.repository.js';
import { Providers } from '../providers/providers.js';
import { TemplatesRepository } from '../templates/templates.repository.js';
import type { Price, PricedDelivery } from '../text/measure-message.js';
import { type MessageContent, MessageTexts } from '../text/message-text.js';
import { type Draft, readDraft } from './draft.js';
import { priceDraft, sumOf } from './message-pricing.js';
import { allWindowsClosed, countriesNotAllowed, unusableTemplate } from './messages.errors.js';
import { readPlainMessage } from './plain-message.js';
import { isScheduled, readSendAt } from '../send-at.js';
import { replyRequest } from './reply.js';
import { ConversationWindows } from '../windows/conversation-windows.js';
import { categoryOf, type SendingRules, SendingRulesCache } from '../sending-rules.js';

/** A valid message with its price, ready to be charged and stored. */
export interface PricedMessage extends MessageContent, TextSize, OwnFields {
  /** The recipients as in the request. */
  readonly recipients: readonly string[];
  /** The deliveries that are sent. */
  readonly deliveries: readonly PricedDelivery[];
  /** The deliveries that are not sent and cost nothing, because the window of WhatsApp is closed. */
  readonly rejected: readonly PricedDelivery[];
  /** Set with `smartlistId`, instead of deliveries: the list as the contacts worker opened it. Empty if it is read later. */
  readonly list: string | null;
  readonly phoneColumn: string | null;
  /** The number of contacts in the list. */
  readonly listRows?: number;
  /** Set if the list is read later. */
  readonly charged?: ChargedRows;
  readonly kobo: bigint;
  readonly mode: OrganisationMode;
  readonly category: MessageCategory;
  /** Whether an endpoint of the organisation receives events of the deliveries. */
  readonly hasEndpoints: boolean;
  /** Where recipients were ported to; read only if a route names an operator. */
  readonly ported?: PortedNumbers;
}

/** The columns of a message that are stored as they are. */
type OwnFields = Omit<
  Message,
  keyof MessageContent | keyof TextSize | 'category' | ComputedColumn | ChangeColumn
>;
type ComputedColumn = 'sealedText' | 'recipients' | 'chargeKobo' | 'balanceKobo';
/** The columns that are written when the message is paused, resumed or canceled. */
type ChangeColumn = 'pausedAt' | 'canceledAt' | 'changeIds';

const maxErrors = 100;

/** Validates requests against templates and sending rules, and prices them. */
@Injectable()
export class MessagePreparer {
  constructor(
    private readonly rules: SendingRulesCache,
    private readonly templates: TemplatesRepository,
    private readonly texts: MessageTexts,
    private readonly prices: Prices,
    private readonly providers: Providers,
    private readonly smartlists: SmartlistPricing,
    private readonly windows: ConversationWindows,
    private readonly inbox: InboxRepository,
  ) {}

  /** The country of phone numbers without a country code. */
  get region(): string {
    return this.texts.region;
  }

  /**
   * @throws AppError 400 with all errors, or if no provider of a recipient may get the sender, or no recipient free
   * text; 503 if a recipient has no provider
   */
  async prepare(given: SendSmsRequest, context: RequestContext): Promise<PricedMessage> {
    const organisationId = requireOrganisationId(context);
    const target = await this.findRepliedMessage(given, organisationId);
    const request = given.reply_to === undefined ? given : replyRequest(given, target, this.texts.region);
    const { template_id: templateId, smartlist_id: smartlistId } = request;
    const rules = await this.rules.get(organisationId);
    const template =
      templateId !== undefined && isId(templateId)
        ? await this.templates.find({ id: templateId, organisationId })
        : undefined;
    const { sendAt, faults } = readSendAt(request.send_at, timeOfId(context.operationId));
    const draft = await readDraft(request, rules, template, this.texts.region, faults);
    // The texts of a template can be measured only if every placeholder has a value.
    if (smartlistId === undefined && draft.source === 'template_id') refuse(draft.faults);
    const price = await this.price(request, draft, categoryOf(request, rules), context);
    refuse(price.faults);
    const excluded = draft.recipients.filter(({ to }) => !isAllowedCountry(rules.countries, to.country));
    if (excluded.length > 0) throw countriesNotAllowed(excluded.slice(0, maxErrors).map(({ to }) => to));
    const priced = await this.withPorted(pricedMessageOf(request, context, rules, draft, price, sendAt));
    const message = { ...priced, sender: this.senderOf(request, priced, target) };
    // Routes by country or operator read each number.
    const findFirst = <R>(find: (some?: typeof message.deliveries) => R | undefined) =>
      price.list === undefined ? findInSlices(message.deliveries, (one) => find([one])) : find();
    const error = await findFirst((some) => this.providers.findRouteError(message, some, message.ported));
    if (error) throw error;
    const unusable = await findFirst((some) =>
      this.providers.findTemplateFault(message, some, message.ported),
    );
    if (unusable) throw invalidRequest([unusableTemplate(unusable)]);
    // The windows of a scheduled message are looked up when it is sent.
    return isScheduled(message) ? message : this.withoutClosed(message);
  }

  /**
   * Prepares a plain message at once, from what is in memory. Undefined for any other, which `prepare` takes. Whether it
   * has a provider is decided by `routePlain`.
   */
  preparePlain(request: SendSmsRequest, context: RequestContext): PricedMessage | undefined {
    const organisationId = requireOrganisationId(context);
    const rules = this.rules.cached(organisationId);
    const prices = this.prices.cached(organisationId);
    if (!rules || !prices) return undefined;
    const plain = readPlainMessage(request, context.operationId, rules, this.texts, prices);
    if (!plain) return undefined;
    return pricedMessageOf(request, context, rules, plain.draft, plain.price);
  }

  /** The messages that have a provider; undefined in place of one without, which `prepare` refuses. */
  async routePlain(messages: readonly PricedMessage[]): Promise<readonly (PricedMessage | undefined)[]> {
    const ported = await this.providers.findPorted(messages);
    return messages.map((message) => {
      if (this.providers.findRouteError(message, message.deliveries, ported)) return undefined;
      return ported.size === 0 ? message : { ported, ...message };
    });
  }

  private async findRepliedMessage(
    { reply_to: id }: SendSmsRequest,
    organisationId: string,
  ): Promise<RepliedMessage | undefined> {
    return id !== undefined && isId(id) ? this.inbox.findRepliedMessage({ id, organisationId }) : undefined;
  }

  /** A reply without `sender_id` goes out from the number that received the message, if its provider sends the reply. */
  private senderOf(
    { sender_id: given }: SendSmsRequest,
    message: PricedMessage,
    target: RepliedMessage | undefined,
  ): string {
    if (given !== undefined || !target?.hasNumber) return message.sender;
    const { number, provider } = target;
    const { deliveries, ported } = message;
    return this.providers.sendsAll(provider, { ...message, sender: number }, deliveries, ported)
      ? number
      : message.sender;
  }

  /** @throws AppError 400 if free text can be sent to none of the recipients */
  private async withoutClosed(message: PricedMessage): Promise<PricedMessage> {
    const windowed = { ...message, hasTemplate: message.templateId !== null };
    const closed = await this.windows.findClosed(windowed, message.deliveries);
    if (closed.size === 0) return message;
    const deliveries = message.deliveries.filter((delivery) => !closed.has(delivery));
    if (deliveries.length === 0) throw invalidRequest([allWindowsClosed()]);
    return { ...message, deliveries, rejected: [...closed], kobo: sumOf(deliveries) };
  }

  private async withPorted(message: PricedMessage): Promise<PricedMessage> {
    const ported = await this.providers.findPorted([message]);
    return ported.size === 0 ? message : { ported, ...message };
  }

  private price(
    request: SendSmsRequest,
    draft: Draft,
    category: MessageCategory,
    context: RequestContext,
  ): Promise<Price> {
    const { smartlist_id, phone_column, is_trackable: trackable = false } = request;
    const price = async (list: PriceList): Promise<Price> => {
      const prices = list.tableOf(draft.channel, category);
      if (smartlist_id === undefined)
        return priceDraft(context.operationId, draft, trackable, this.texts, prices);
      const column = phone_column !== undefined && { phone_column };
      return this.smartlists.price({ smartlist_id, ...column }, draft, trackable, new RowPrices(prices));
    };
    const lacksPrice = ({ faults }: Price): boolean => faults.some(({ type }) => type === 'no_price');
    return this.prices.apply(requireOrganisationId(context), price, lacksPrice);
  }
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidRequest(faults.slice(0, maxErrors));
}

function pricedMessageOf(
  request: SendSmsRequest,
  context: RequestContext,
  rules: SendingRules,
  draft: Draft,
  price: Price,
  sendAt: Date | null = null,
): PricedMessage {
  const { operationId: id, requestId } = context;
  const createdAt = timeOfId(id);
  const isReadLater = price.list !== undefined && isScheduled({ sendAt, createdAt });
  return {
    id,
    requestId,
    createdAt,
    mode: rules.mode,
    hasEndpoints: rules.hasEndpoints,
    category: categoryOf(request, rules),
    organisationId: requireOrganisationId(context),
    channel: draft.channel,
    sender: draft.sender,
    templateId: request.template_id ?? null,
    smartlistId: request.smartlist_id?.toLowerCase() ?? null,
    replyTo: request.reply_to?.toLowerCase() ?? null,
    sendAt,
    list: isReadLater ? '' : (price.list ?? null),
    ...(isReadLater && { charged: chargedRows(price) }),
    phoneColumn: request.phone_column ?? null,
    ...(price.listRows !== undefined && { listRows: price.listRows }),
    externalRef: request.external_ref ?? null,
    trackable: request.is_trackable ?? false,
    callbackUrl: request.callback ?? null,
    kobo: price.kobo,
    recipients: price.deliveries.map(({ recipientGiven }) => recipientGiven),
    deliveries: price.deliveries,
    rejected: [],
    ...draft.body,
    ...price.size,
  };
}
