import {
  addOptOut,
  AddOptOutRequest,
  listOptOuts,
  ListOptOutsRequest,
  removeOptOut,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('optouts')
@ApiTag('Opt-outs', 'Numbers that get no promotional messages')
export class OptOutsController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('sms:write')
  @ApiOperation(addOptOut, {
    summary: 'Add an opt-out',
    description:
      'From now on, promotional messages to this number on this channel are rejected with the reason `opted_out` and refunded. Transactional messages and OTPs are still sent. If the number has already opted out, the existing opt-out is returned.',
  })
  add(@Body() request: AddOptOutRequest) {
    return this.queue.send(addOptOut, request);
  }

  @Get()
  @Scope('sms:read')
  @ApiOperation(listOptOuts, {
    summary: 'List opt-outs',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next` and keep the filters.',
  })
  list(@Query() request: ListOptOutsRequest) {
    return this.queue.send(listOptOuts, request);
  }

  @Delete(':id')
  @Scope('sms:write')
  @ApiOperation(removeOptOut, {
    summary: 'Remove an opt-out',
    description: 'Returns the removed opt-out. The number gets promotional messages again.',
  })
  remove(@Param('id') id: string) {
    return this.queue.send(removeOptOut, { id });
  }
}
