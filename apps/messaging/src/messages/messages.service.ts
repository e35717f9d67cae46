import { CallbackQuota } from '@gangan/callbacks';
import type * as dto from '@gangan/contracts';
import { defaultPageSize, deliveryEvents, idRangeOf, parsePhone, smsExpansionDue } from '@gangan/contracts';
import { isLockTimeout, readPage, sqlFailure } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import {
  AppError,
  isId,
  keepUnknown,
  outcomeUnknown,
  type RequestContext,
  requireOrganisationId,
  unavailable,
} from '@gangan/protocol';
import type { BatchMember, TakenMembers } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { AudienceRepository } from '../audience/audience.repository.js';
import { DeliveryAnnouncer } from '../schedule/delivery-announcer.js';
import { type InsertClaim, InsertClaims } from '../schedule/claim-on-insert/insert-claims.js';
import { acceptedStatus } from '../message-status.js';
import { MessagingConfig } from '../messaging.config.js';
import { isScheduled } from '../send-at.js';
import { SendingRulesCache } from '../sending-rules.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryTexts } from './delivery-texts.js';
import { detailsResponse, listedResponse, messageResponse } from './message-response.js';
import { messageNotFound } from './messages.errors.js';
import type { MessageQuery } from './message-filters.js';
import { type Accepted, type MessageRow, MessagesRepository } from './messages.repository.js';
import { MessagePreparer, type PricedMessage } from './prepare-message.js';
import type { MessageToStore } from './store-messages.js';

@Injectable()
export class MessagesService {
  constructor(
    private readonly preparer: MessagePreparer,
    private readonly repository: MessagesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly insertClaims: InsertClaims,
    private readonly deliveryAnnouncer: DeliveryAnnouncer,
    private readonly audience: AudienceRepository,
    private readonly announcer: Announcer,
    private readonly callbackQuota: CallbackQuota,
    private readonly texts: DeliveryTexts,
    private readonly rules: SendingRulesCache,
    private readonly config: MessagingConfig,
  ) {}

  /** The response shows the message as it was accepted, even if the queue runs the request again later. */
  async send(request: dto.SendSmsRequest, context: RequestContext): Promise<dto.SmsMessage> {
    try {
      const message = await this.preparer.prepare(request, context);
      const { organisationId, callbackUrl, hasEndpoints } = message;
      if (callbackUrl !== null || hasEndpoints)
        await this.callbackQuota.check(organisationId, deliveryEvents, callbackUrl);
      const { balance, mayBeRepeated } = await this.accept(message);
      const { id, list } = message;
      if (list !== null && !isScheduled(message))
        void this.announcer.announce(smsExpansionDue, [{ id }], () => ({ jobId: `${id}-expansion-0` }));
      const earlier = mayBeRepeated
        ? await this.findEarlier(context).catch((error: unknown) => {
            throw outcomeUnknown(message.id, error);
          })
        : undefined;
      return sendResponse(earlier ?? rowOf(message, balance));
    } catch (error) {
      // If an earlier run stored the message, return it, even if its template, sender, provider or price has changed since,
      // or a limit is reached.
      if (!(error instanceof AppError && [400, 403, 429, 503].includes(error.status))) throw error;
      const earlier = await this.findEarlier(context).catch(keepUnknown(error));
      if (earlier) return sendResponse(earlier);
      throw error;
    }
  }

  /**
   * Takes the plain messages of a batch and accepts them in one statement; a request that is in the batch twice is taken
   * once. What is not accepted is left to `send`: a repeated request, a locked wallet, a limit. Only a balance that is too
   * low, a database that is unavailable and an unknown outcome are final.
   */
  takePlain(members: readonly BatchMember<typeof dto.sendSms>[]): TakenMembers<typeof dto.sendSms> {
    const messages = new Map<string, PricedMessage>();
    const taken = members.filter(({ data, context }) => {
      const message = messages.has(context.operationId)
        ? undefined
        : this.preparer.preparePlain(data, context);
      if (
        !message ||
        (message.hasEndpoints && !this.callbackQuota.isKnownToAccept(message.organisationId, deliveryEvents))
      )
        return false;
      messages.set(context.operationId, message);
      return true;
    });
    return { members: taken, replies: this.acceptPlain([...messages.values()]) };
  }

  async find({ id, after }: dto.FindSmsRequest, context: RequestContext): Promise<dto.SmsDetails> {
    const organisationId = requireOrganisationId(context);
    const found = isId(id) && (await this.repository.find({ id, organisationId }));
    if (!found) throw messageNotFound();
    const showsProviders =
      this.config.SHOW_PROVIDER_NAMES || (await this.rules.get(organisationId)).showsProviders;
    if (found.smartlistId === null) {
      const deliveries = await this.deliveries.findAll(found.id);
      const refunded = deliveries.reduce((sum, one) => sum + (one.refunded ? one.kobo : 0n), 0n);
      const shown = await this.texts.show(found, organisationId, deliveries);
      return detailsResponse(found, { deliveries: shown, refunded, showsProviders });
    }
    // The expansion is read first, so that an expansion that is shown as done has all its deliveries.
    const expansion = await this.audience.find(found.id);
    const { deliveries, pagination } = await this.deliveries.findPage(found, after?.toLowerCase());
    const shown = await this.texts.show(found, organisationId, deliveries);
    // Only on the first page, because it may read all deliveries.
    const refunded = after === undefined ? await this.deliveries.sumRefunded(found.id) : undefined;
    return detailsResponse(found, {
      deliveries: shown,
      refunded,
      pagination,
      showsProviders,
      ...(expansion && { expansion }),
    });
  }

  async list(request: dto.ListSmsRequest, context: RequestContext): Promise<dto.SmsPage> {
    const { limit = defaultPageSize, page } = request;
    const query = queryOf(request, requireOrganisationId(context), this.preparer.region);
    const offset = ((page ?? 1) - 1) * limit;
    const lastRead = await this.repository.findLastCompared(query);
    const compared = { ...query, from: lastRead ?? query.from };
    const { rows, pagination } = await readPage(
      limit,
      (size) => this.repository.list(compared, size, offset),
      lastRead,
    );
    return {
      messages: rows.map(listedResponse),
      meta: {
        method: 'GET',
        resource: '/sms',
        pagination: { ...pagination, ...(page !== undefined && { page }) },
      },
    };
  }

  private async accept(message: PricedMessage): Promise<Accepted> {
    const claim = this.insertClaims.claim(message);
    const accepted = await this.repository.accept(message, claim).catch((error: unknown) => {
      claim?.release();
      throw error;
    });
    this.deliver(message, claim, accepted);
    return accepted;
  }

  private async acceptPlain(
    messages: readonly PricedMessage[],
  ): Promise<(dto.SmsMessage | Error | undefined)[]> {
    if (messages.length === 0) return [];
    const routed = await this.preparer.routePlain(messages).catch((error: unknown) => error as Error);
    // 503 if the database is unavailable: `send` would wait for it again.
    if (routed instanceof Error) return messages.map(() => (routed instanceof AppError ? routed : undefined));
    const runs = routed.flatMap((message) =>
      message
        ? [{ organisationId: message.organisationId, message, claim: this.insertClaims.claim(message) }]
        : [],
    );
    const results =
      runs.length === 0
        ? []
        : await this.repository
            .acceptTogether(runs)
            .catch((error: unknown) => runs.map(() => error as Error));
    const replies = new Map(
      runs.map((run, index) => [run.message.id, this.replyPlain(run, results[index])] as const),
    );
    return messages.map(({ id }) => replies.get(id));
  }

  private replyPlain(
    { message, claim }: MessageToStore,
    result: Accepted | Error | undefined,
  ): dto.SmsMessage | Error | undefined {
    if (!result || result instanceof Error) {
      claim?.release();
      return finalError(message.id, result);
    }
    if (result.mayBeRepeated && result.claimedAt === undefined) {
      claim?.release();
      return undefined;
    }
    this.deliver(message, claim, result);
    return sendResponse(rowOf(message, result.balance));
  }

  /** Deliveries that were inserted as claimed are submitted from memory; others are announced, unless they wait for their time. */
  private deliver(message: PricedMessage, claim: InsertClaim | undefined, { claimedAt }: Accepted): void {
    const isClaimed = claim && claimedAt !== undefined;
    if (isClaimed) claim.submit(claimedAt);
    else claim?.release();
    const { organisationId, deliveries } = message;
    const deliveryIds = deliveries.slice(isClaimed ? claim.count : 0).map(({ id }) => id);
    if (deliveryIds.length > 0 && !isScheduled(message))
      void this.deliveryAnnouncer.announce({ organisationId, deliveryIds });
  }

  private findEarlier(context: RequestContext): Promise<MessageRow | undefined> {
    return this.repository.find({ id: context.operationId, organisationId: requireOrganisationId(context) });
  }
}

/**
 * The error of a message that was not accepted in the common statement, if `send` must not try it again. After a lost reply
 * `send` would not know that the message may be stored; without a connection it would wait for one a second time.
 */
function finalError(messageId: string, error: unknown): Error | undefined {
  if (error instanceof AppError) return error.status === 402 ? error : undefined;
  if (isLockTimeout(error)) return undefined;
  const failure = sqlFailure(error);
  if (failure === 'lost') return outcomeUnknown(messageId, error);
  return failure === 'unreachable' || failure === 'busy' ? unavailable(undefined, error) : undefined;
}

function queryOf(request: dto.ListSmsRequest, organisationId: string, region: string): MessageQuery {
  const { status, recipient, external_ref: externalRef, channel, category } = request;
  return {
    organisationId,
    ...idRangeOf(request),
    status,
    // The gateway has checked the number.
    recipient: recipient === undefined ? undefined : (parsePhone(recipient, region)?.e164 ?? recipient),
    externalRef,
    channel,
    category,
  };
}

/** As the message was accepted: its status may have changed since. */
const sendResponse = (row: MessageRow): dto.SmsMessage =>
  messageResponse({ ...row, status: acceptedStatus(row) }, 'POST', '/sms/send');

const rowOf = (message: PricedMessage, balance: bigint): MessageRow => ({
  ...message,
  balance,
  status: acceptedStatus(message),
});
