import { balancesOf, toNaira } from '@gangan/billing';
import type { EstimatedSms, RejectedRecipient, SendSmsRequest } from '@gangan/contracts';
import { Database } from '@gangan/database';
import type { RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { MessagePreparer, type PricedMessage } from '../messages/prepare-message.js';
import { windowClosed } from '../outcome/reasons.js';
import { BlockedRecipients } from '../submit/blocked-recipients.js';
import { ProviderPages } from '../submit/provider-pages.js';

/** Prices messages as a send does, and stores nothing. */
@Injectable()
export class EstimatesService {
  constructor(
    private readonly preparer: MessagePreparer,
    private readonly blockedRecipients: BlockedRecipients,
    private readonly pages: ProviderPages,
    private readonly database: Database,
  ) {}

  /** @throws AppError 400 and 503, as a send does */
  async estimate(request: SendSmsRequest, context: RequestContext): Promise<EstimatedSms> {
    const message = await this.preparer.prepare(request, context);
    const rejected = await this.findRejected(message);
    const providerPages = await this.pages.find(message);
    const { available } = await balancesOf(this.database, message.organisationId);
    return {
      content: message.content,
      recipient_count: message.listRows ?? message.recipients.length,
      affordable: message.kobo <= available,
      rejected,
      meta: {
        method: 'POST',
        resource: '/sms/estimate',
        estimate: {
          available_balance: toNaira(available),
          charge: toNaira(message.kobo),
          encoding: message.encoding,
          message_length: message.length,
          pages: message.pages,
          ...(providerPages !== undefined && { provider_pages: providerPages }),
        },
      },
    };
  }

  /** Returns the recipients in the order of the request. */
  private async findRejected(message: PricedMessage): Promise<RejectedRecipient[]> {
    const { organisationId, channel, category, deliveries, rejected, recipients } = message;
    const blocked = await this.blockedRecipients.find(
      deliveries.map(({ id, recipient }) => {
        return { id, recipient, organisationId, channel, category, trafficClass: 'sms' };
      }),
    );
    const reasons = new Map([
      ...rejected.map(({ recipientGiven }) => [recipientGiven, windowClosed] as const),
      ...deliveries.flatMap(({ id, recipientGiven }) => {
        const reason = blocked.get(id);
        return reason ? [[recipientGiven, reason] as const] : [];
      }),
    ]);
    return recipients.flatMap((recipient) => {
      const reason = reasons.get(recipient);
      return reason ? [{ recipient, reason }] : [];
    });
  }
}
