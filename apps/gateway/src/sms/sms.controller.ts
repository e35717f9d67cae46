import {
  findSms,
  listSms,
  ListSmsRequest,
  sendSms,
  sendSmsContractFor,
  SendSmsRequest,
  SmsDeliveriesQuery,
  type SmsDetails,
  type SmsMessage,
  type SmsPage,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers, DescribedIn } from '../openapi/answers.js';

@Controller('sms')
@DescribedIn('Messages', 'Send texts by SMS and WhatsApp')
export class SmsController {
  constructor(private readonly queue: QueueClient) {}

  @Post('send')
  @Scope('sms:write', { bodyLimit: 1_048_576 })
  @Answers(sendSms, {
    summary: 'Send a message',
    description:
      'To one or many recipients, or to a smartlist of your contacts, with a text of its own or that of a template. It is charged at once, and all or nothing is accepted: one bad number refuses the whole request. What becomes of it, recipient by recipient, is told to `callback` and by `GET /sms/{id}`; what could not be sent is refunded.',
    refuses: [402],
  })
  send(@Body() request: SendSmsRequest): Observable<SmsMessage> {
    return this.queue.send(sendSmsContractFor(request), request);
  }

  @Get()
  @Scope('sms:read')
  @Answers(listSms, {
    summary: 'List messages',
    description:
      'Newest first. To read on, ask again with `before` set to `meta.pagination.next` and the same filters, or with the next `page`: what is sent meanwhile shifts pages, but not what comes `before`.',
  })
  list(@Query() request: ListSmsRequest): Observable<SmsPage> {
    return this.queue.send(listSms, request);
  }

  @Get(':id')
  @Scope('sms:read')
  @Answers(findSms, {
    summary: 'Read a message',
    description:
      'Tells how far it has come with each recipient, and what the providers said. Of a message to a smartlist also how far that has been made into deliveries, of which it shows a thousand at a time: to read on, ask again with `after` set to `meta.pagination.next`.',
  })
  find(@Param('id') id: string, @Query() { after }: SmsDeliveriesQuery): Observable<SmsDetails> {
    return this.queue.send(findSms, { id, ...(after !== undefined && { after }) });
  }
}
