import {
  estimateLargeSms,
  estimateSmsContractFor,
  findSms,
  listSms,
  ListSmsRequest,
  sendSms,
  sendSmsContractFor,
  SendSmsRequest,
  SmsDeliveriesQuery,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

const largeBody = { bodyLimit: 1_048_576, maxValues: 20_000 };

@Controller('sms')
@ApiTag('Messages', 'Send texts by SMS and WhatsApp')
export class SmsController {
  constructor(private readonly queue: QueueClient) {}

  @Post('send')
  @Scope('sms:write', largeBody)
  @ApiOperation(sendSms, {
    summary: 'Send a message',
    description:
      'Sends a text or a template to one or more recipients, or to a smartlist of your contacts. The message is charged at once, and accepted as a whole: one invalid number rejects the request. The outcome for each recipient is reported to `callback` and returned by `GET /sms/{id}`. Messages that could not be sent are refunded. On WhatsApp, free text reaches only recipients who have written to you within 24 hours: others are `rejected` with `window_closed` and not charged.',
    errors: [402],
  })
  send(@Body() request: SendSmsRequest) {
    return this.queue.send(sendSmsContractFor(request), request);
  }

  @Post('estimate')
  @Scope('sms:write', largeBody)
  @ApiOperation(estimateLargeSms, {
    summary: 'Estimate a message',
    description:
      'Takes the same body as `POST /sms/send` and finds the same errors, but nothing is stored, charged or sent. Returns what the message would cost now and who would not get it. A balance that is too low is no error: `affordable` is false. Limits on spending and on waiting callbacks are not checked. Recipients who have opted out of a promotional message or are on the DND list are charged and refunded when it is sent; those whose WhatsApp window is closed are not charged.',
  })
  estimate(@Body() request: SendSmsRequest) {
    return this.queue.send(estimateSmsContractFor(request), request);
  }

  @Get()
  @Scope('sms:read')
  @ApiOperation(listSms, {
    summary: 'List messages',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next` and keep the filters. You may use `page` instead, but new messages shift pages.',
  })
  list(@Query() request: ListSmsRequest) {
    return this.queue.send(listSms, request);
  }

  @Get(':id')
  @Scope('sms:read')
  @ApiOperation(findSms, {
    summary: 'Read a message',
    description:
      'Returns the state of each delivery and the results of the providers. For a message to a smartlist it also returns the progress of the expansion into deliveries, and shows up to a thousand deliveries at a time, or 250 with tracked links: for the next ones, set `after` to `meta.pagination.next`.',
  })
  find(@Param('id') id: string, @Query() { after }: SmsDeliveriesQuery) {
    return this.queue.send(findSms, { id, ...(after !== undefined && { after }) });
  }
}
