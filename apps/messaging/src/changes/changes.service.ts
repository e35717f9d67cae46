import { smsChangeDue, smsExpansionDue, type SmsMessage } from '@gangan/contracts';
import type { MessageAction } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import { isId, type RequestContext, requireOrganisationId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { messageResponse } from '../messages/message-response.js';
import { messageNotFound } from '../messages/messages.errors.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { ChangesRepository } from './changes.repository.js';

/** Pauses, resumes and cancels messages. A job does the rest: see `ChangeJob`. */
@Injectable()
export class ChangesService {
  constructor(
    private readonly repository: ChangesRepository,
    private readonly messages: MessagesRepository,
    private readonly announcer: Announcer,
  ) {}

  /** @throws AppError 404; 409 if the message is completed, or canceled and to be paused */
  async change(
    action: MessageAction,
    { id: given }: { id: string },
    context: RequestContext,
  ): Promise<SmsMessage> {
    if (!isId(given)) throw messageNotFound();
    const owned = { id: given.toLowerCase(), organisationId: requireOrganisationId(context) };
    const { operationId } = context;
    const changed = await this.repository.request({ owned, action, operationId });
    if (changed === true) void this.announce(owned.id, action);
    const row = changed === undefined ? undefined : await this.messages.find(owned);
    if (!row) throw messageNotFound();
    return messageResponse(row, 'POST', `/sms/${row.id}/${action}`);
  }

  private async announce(id: string, action: MessageAction): Promise<void> {
    await this.announcer.announce(smsChangeDue, [{ id }]);
    if (action === 'resume') await this.announcer.announce(smsExpansionDue, [{ id }]);
  }
}
