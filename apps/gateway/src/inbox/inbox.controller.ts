import { findInboxMessage, listInbox, ListInboxRequest } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('inbox')
@ApiTag('Inbox', 'Messages that your numbers received')
export class InboxController {
  constructor(private readonly queue: QueueClient) {}

  @Get()
  @Scope('sms:read')
  @ApiOperation(listInbox, {
    summary: 'List received messages',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next` and keep the filters. Endpoints get each message as `message.received`.',
  })
  list(@Query() request: ListInboxRequest) {
    return this.queue.send(listInbox, request);
  }

  @Get(':id')
  @Scope('sms:read')
  @ApiOperation(findInboxMessage, {
    summary: 'Read a received message',
    description: 'To reply, send a message with its id as `reply_to` (`POST /sms/send`).',
  })
  find(@Param('id') id: string) {
    return this.queue.send(findInboxMessage, { id });
  }
}
