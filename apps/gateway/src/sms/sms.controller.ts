import {
  cancelSms,
  countPhones,
  estimateLargeSms,
  estimateSmsContractFor,
  findSms,
  listSms,
  ListSmsRequest,
  pauseSms,
  resumeSms,
  sendSms,
  sendSmsContractFor,
  SendSmsRequest,
  SmsDeliveriesQuery,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';
import { HasPhones } from '../http/request/has-phones.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';
import { unknownTemplate } from '../openapi/headers.js';

const largeBody = { bodyLimit: 1_048_576, maxValues: 20_000 };

@Controller('sms')
@ApiTag('Messages', 'Send texts by SMS and WhatsApp')
export class SmsController {
  constructor(private readonly queue: QueueClient) {}

  @Post('send')
  @Scope('sms:write', largeBody)
  @HasPhones(countPhones)
  @ApiOperation(sendSms, {
    summary: 'Send a message',
    description:
      'Sends a text or a template to one or more recipients, or to a smartlist of your contacts. The message is charged at once, and accepted as a whole: one invalid number, one without a price (400 `no_price`), or one in a country that the operator does not allow your organisation (403 `country_not_allowed`) rejects the request. The outcome for each recipient is reported to `callback` and returned by `GET /sms/{id}`. Messages that could not be sent are refunded. In the rate limit, a request counts as one for every started 100 recipients. With `send_at` it is sent later; `POST /sms/{id}/cancel` ends what was not sent. On WhatsApp, free text reaches only recipients who have written to you within 24 hours: others are `rejected` with `window_closed` and not charged, or refunded if the message was scheduled.',
    errors: [402],
    headers: ['X-Unknown-Template'],
  })
  send(@Body() request: SendSmsRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return noteUnknownTemplate(request, reply, this.queue.send(sendSmsContractFor(request), request));
  }

  @Post('estimate')
  @Scope('sms:write', { ...largeBody, isRead: true })
  @HasPhones(countPhones)
  @ApiOperation(estimateLargeSms, {
    summary: 'Estimate a message',
    description:
      'Takes the same body as `POST /sms/send` and finds the same errors, but nothing is stored, charged or sent. Returns what the message would cost now and who would not get it. A balance that is too low is no error: `affordable` is false. Limits on spending and on waiting callbacks are not checked. In the rate limit, a request counts as one for every started 100 recipients. Recipients who have opted out of a promotional message or are on the DND list are charged and refunded when it is sent; those whose WhatsApp window is closed are not charged.',
    headers: ['X-Unknown-Template'],
  })
  estimate(@Body() request: SendSmsRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return noteUnknownTemplate(request, reply, this.queue.send(estimateSmsContractFor(request), request));
  }

  @Get()
  @Scope('sms:read')
  @ApiOperation(listSms, {
    summary: 'List messages',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next` and keep the filters. You may use `page` instead, but new messages shift pages. With filters a page may have fewer messages than `limit`, or none: continue until `next` is absent.',
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

  @Post(':id/pause')
  @Scope('sms:write')
  @ApiOperation(pauseSms, {
    summary: 'Pause a message',
    description:
      'Holds the recipients that no provider has yet: their deliveries stay `queued`, and a smartlist is not read further. What was given to a provider before is still sent. It waits until you resume or cancel it. A message that is paused already gets 200; one that is completed or canceled gets 409.',
    errors: [409],
  })
  pause(@Param('id') id: string) {
    return this.queue.send(pauseSms, { id });
  }

  @Post(':id/resume')
  @Scope('sms:write')
  @ApiOperation(resumeSms, {
    summary: 'Resume a paused message',
    description:
      'Sends the held recipients, or at the time that the message is scheduled for. Their validity period begins anew. A message that is not paused gets 200 with its `status`.',
  })
  resume(@Param('id') id: string) {
    return this.queue.send(resumeSms, { id });
  }

  @Post(':id/cancel')
  @Scope('sms:write')
  @ApiOperation(cancelSms, {
    summary: 'Cancel a message',
    description:
      'Ends all recipients that no provider has yet, also in the middle of a campaign, and refunds them. The response comes at once; the deliveries become `canceled` in the seconds after it, and `message.canceled` reports the end. What was given to a provider before is still sent. A message that is canceled already gets 200; one that is completed gets 409.',
    errors: [409],
  })
  cancel(@Param('id') id: string) {
    return this.queue.send(cancelSms, { id });
  }
}

/** Sets a header if the template is unknown: then, in test mode only, the text of the message is the id of the template. */
function noteUnknownTemplate<T extends { readonly content: string }>(
  { template_id: id }: SendSmsRequest,
  reply: FastifyReply,
  answers: Observable<T>,
): Observable<T> {
  if (id === undefined) return answers;
  return answers.pipe(
    tap(({ content }) => {
      if (content === id) void reply.header('x-unknown-template', unknownTemplate);
    }),
  );
}
