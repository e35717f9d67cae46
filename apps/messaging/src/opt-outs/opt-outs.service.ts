import { CallbackAnnouncer } from '@gangan/callbacks';
import type * as dto from '@gangan/contracts';
import { defaultPageSize, formatTimestamp, parsePhone } from '@gangan/contracts';
import { type OptOut, readPage } from '@gangan/database';
import { isId, notFound, type RequestContext, requireOrganisationId, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { OptOutsRepository } from './opt-outs.repository.js';

@Injectable()
export class OptOutsService {
  constructor(
    private readonly repository: OptOutsRepository,
    private readonly config: MessagingConfig,
    private readonly callbacks: CallbackAnnouncer,
  ) {}

  async add({ phone, channel = 'sms' }: dto.AddOptOutRequest, context: RequestContext): Promise<dto.OptOut> {
    const { operationId: id, requestId } = context;
    const { optOut, callbackIds } = await this.repository.add({
      id,
      organisationId: requireOrganisationId(context),
      channel,
      phone: this.e164(phone),
      source: 'api',
      createdAt: timeOfId(id),
      requestId,
    });
    void this.callbacks.announce(callbackIds);
    return optOutResponse(optOut);
  }

  async list(request: dto.ListOptOutsRequest, context: RequestContext): Promise<dto.OptOutPage> {
    const { limit = defaultPageSize, before, phone, channel } = request;
    const filter = {
      organisationId: requireOrganisationId(context),
      ...(channel !== undefined && { channel }),
      ...(phone !== undefined && { phone: this.e164(phone) }),
    };
    const { rows, pagination } = await readPage(limit, (size) =>
      this.repository.list(filter, size, before?.toLowerCase()),
    );
    return {
      opt_outs: rows.map(optOutResponse),
      meta: { method: 'GET', resource: '/optouts', pagination },
    };
  }

  async remove({ id }: dto.RecordId, context: RequestContext): Promise<dto.OptOut> {
    const organisationId = requireOrganisationId(context);
    const removed = isId(id) && (await this.repository.remove({ id, organisationId }));
    if (!removed) throw notFound('The opt-out');
    return optOutResponse(removed);
  }

  /** The gateway has checked the number. */
  private e164(phone: string): string {
    return parsePhone(phone, this.config.DEFAULT_REGION)?.e164 ?? phone;
  }
}

const optOutResponse = ({ id, phone, channel, source, createdAt }: OptOut): dto.OptOut => ({
  id,
  phone,
  channel,
  source,
  created_datetime: formatTimestamp(createdAt),
});
