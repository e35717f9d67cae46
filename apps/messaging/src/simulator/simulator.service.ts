import { CallbackQuota } from '@gangan/callbacks';
import type * as dto from '@gangan/contracts';
import {
  type Channel,
  defaultPageSize,
  formatTimestamp,
  parseInboundNumber,
  parsePhone,
  receptionEvents,
  simulatedNumber,
} from '@gangan/contracts';
import { Database, readPage } from '@gangan/database';
import {
  AppError,
  fieldError,
  invalidRequest,
  maxId,
  type RequestContext,
  requireOrganisationId,
  timeOfId,
} from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { InboxService } from '../inbox/inbox.service.js';
import { IncomingService } from '../inbox/incoming.service.js';
import { MessagingConfig } from '../messaging.config.js';
import { OutboxRepository, type OutboxRow } from '../outbox/outbox.repository.js';
import { simulatorName } from '../providers/message-provider.js';
import { SimulatorQuota } from './simulator-quota.js';

/** Simulates what happens outside, for test organisations. */
@Injectable()
export class SimulatorService {
  constructor(
    private readonly database: Database,
    private readonly incoming: IncomingService,
    private readonly inbox: InboxService,
    private readonly outbox: OutboxRepository,
    private readonly quota: SimulatorQuota,
    private readonly callbackQuota: CallbackQuota,
    private readonly config: MessagingConfig,
  ) {}

  /** If the queue runs the request again, it returns the message of the first run. @throws AppError 400, 403 or 429 */
  async playInbound(request: dto.PlayInboundRequest, context: RequestContext): Promise<dto.InboxMessage> {
    const organisationId = requireOrganisationId(context);
    await this.requireTest(organisationId);
    const { from, text, channel = 'sms' } = request;
    const to = await this.receiver(organisationId, channel, request.to);
    const { operationId: reference, requestId } = context;
    const played = { provider: simulatorName, providerReference: reference, organisationId };
    await this.checkQuotas(organisationId).catch(async (error: unknown) => {
      if ((await this.database.incomingMessage.count({ where: played })) === 0) throw error;
    });
    const arrivedAt = timeOfId(reference);
    const message = {
      channel,
      from,
      to,
      text,
      reference,
      arrivedAt,
      requestId,
      organisationId,
      type: 'text',
    };
    await this.incoming.receive(simulatorName, [message]);
    const { id } = await this.database.incomingMessage.findFirstOrThrow({
      where: played,
      select: { id: true },
    });
    return this.inbox.find({ id }, context);
  }

  /** @throws AppError 403 */
  async listOutbox(request: dto.ListOutboxRequest, context: RequestContext): Promise<dto.OutboxPage> {
    const organisationId = requireOrganisationId(context);
    await this.requireTest(organisationId);
    const { limit = defaultPageSize, recipient, channel } = request;
    const query = {
      organisationId,
      before: request.before?.toLowerCase() ?? maxId,
      channel,
      recipient:
        recipient === undefined ? undefined : parsePhone(recipient, this.config.DEFAULT_REGION)?.e164,
    };
    const { rows, pagination } = await readPage(limit, (size) => this.outbox.list(query, size));
    return {
      messages: rows.map(shownOutboxMessage),
      meta: { method: 'GET', resource: '/simulator/messages', pagination },
    };
  }

  private async checkQuotas(organisationId: string): Promise<void> {
    await this.quota.check(organisationId);
    await this.callbackQuota.check(organisationId, receptionEvents, null);
  }

  private async requireTest(organisationId: string): Promise<void> {
    const found = await this.database.organisation.findUnique({
      where: { id: organisationId },
      select: { mode: true },
    });
    if (found?.mode !== 'test') throw testOnly();
  }

  /** The given number, or the first of the organisation. */
  private async receiver(
    organisationId: string,
    channel: Channel,
    given: string | undefined,
  ): Promise<string> {
    if (given !== undefined) {
      const number = parseInboundNumber(given, this.config.DEFAULT_REGION);
      if (number === undefined) throw invalidRequest([notANumber()]);
      return number;
    }
    const first = await this.database.inboundNumber.findFirst({
      where: { organisationId, channel },
      orderBy: [{ createdAt: 'asc' }, { number: 'asc' }],
    });
    return first?.number ?? simulatedNumber;
  }
}

const shownOutboxMessage = (row: OutboxRow): dto.OutboxMessage => ({
  id: row.id,
  ...(row.messageId !== null && { message_id: row.messageId }),
  ...(row.otpId !== null && { otp_id: row.otpId }),
  channel: row.channel,
  sender_id: row.sender,
  recipient: row.recipient,
  text: row.text,
  ...(row.template && {
    template: {
      name: row.template.name,
      language: row.template.language,
      values: [...row.template.values],
    },
  }),
  outcome: row.outcome,
  created_datetime: formatTimestamp(row.createdAt),
});

function testOnly(): AppError {
  const message =
    'The simulator is only available to test organisations. Use an API key that begins with sk_test_.';
  return new AppError('test_only', 403, message, {
    fields: [fieldError('authorization', message, 'test_only')],
  });
}

const notANumber = () =>
  fieldError(
    'to',
    'to must be a phone number such as +2348001234567, or a short code of 3 to 8 digits',
    'phone',
  );
