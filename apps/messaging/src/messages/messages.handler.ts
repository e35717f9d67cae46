import {
  findSms,
  type FindSmsRequest,
  listSms,
  type ListSmsRequest,
  sendBulkSms,
  sendSms,
  sendSmsToSmartlist,
  type SendSmsRequest,
  type SmsDetails,
  type SmsMessage,
  type SmsPage,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { MessagesService } from './messages.service.js';

@Controller()
export class MessagesHandler {
  constructor(private readonly service: MessagesService) {}

  @Handles(sendSms)
  send(request: SendSmsRequest, context: RequestContext): Promise<SmsMessage> {
    return this.service.send(request, context);
  }

  @Handles(sendBulkSms)
  sendBulk(request: SendSmsRequest, context: RequestContext): Promise<SmsMessage> {
    return this.service.send(request, context);
  }

  @Handles(sendSmsToSmartlist)
  sendToSmartlist(request: SendSmsRequest, context: RequestContext): Promise<SmsMessage> {
    return this.service.send(request, context);
  }

  @Handles(findSms)
  find(request: FindSmsRequest, context: RequestContext): Promise<SmsDetails> {
    return this.service.find(request, context);
  }

  @Handles(listSms)
  list(request: ListSmsRequest, context: RequestContext): Promise<SmsPage> {
    return this.service.list(request, context);
  }
}
