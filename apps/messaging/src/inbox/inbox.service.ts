import type * as dto from '@gangan/contracts';
import { defaultPageSize, idRangeOf, parseInboundNumber } from '@gangan/contracts';
import { readPage } from '@gangan/database';
import { isId, notFound, type RequestContext, requireOrganisationId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { InboxRepository } from './inbox.repository.js';
import { shownMessage } from './incoming-callback.js';
import { senderOf } from './incoming-message.js';

/** Shows an organisation the messages that it received. */
@Injectable()
export class InboxService {
  constructor(
    private readonly repository: InboxRepository,
    private readonly config: MessagingConfig,
  ) {}

  async list(request: dto.ListInboxRequest, context: RequestContext): Promise<dto.InboxPage> {
    const { limit = defaultPageSize, number, sender, channel } = request;
    const { DEFAULT_REGION: region } = this.config;
    const query = {
      organisationId: requireOrganisationId(context),
      ...idRangeOf(request),
      number: number === undefined ? undefined : (parseInboundNumber(number, region) ?? number),
      sender: sender === undefined ? undefined : senderOf(sender, region),
      channel,
    };
    const { rows, pagination } = await readPage(limit, (size) => this.repository.list(query, size));
    return { messages: rows.map(shownMessage), meta: { method: 'GET', resource: '/inbox', pagination } };
  }

  async find({ id }: dto.RecordId, context: RequestContext): Promise<dto.InboxMessage> {
    const organisationId = requireOrganisationId(context);
    const found = isId(id) && (await this.repository.find({ id, organisationId }));
    if (!found) throw notFound('The message');
    return shownMessage(found);
  }
}
