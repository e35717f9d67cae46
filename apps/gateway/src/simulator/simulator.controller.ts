import { listOutbox, ListOutboxRequest, playInbound, PlayInboundRequest } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';
import { StorageMonitor } from '../storage/storage-monitor.js';

@Controller('simulator')
@ApiTag('Simulator', 'Play what happens outside and read what was sent, with test keys')
export class SimulatorController {
  constructor(
    private readonly queue: QueueClient,
    private readonly storage: StorageMonitor,
  ) {}

  @Post('inbound')
  @Scope('sms:write')
  @ApiOperation(playInbound, {
    summary: 'Play an incoming message',
    description:
      'Only with a test key; a live key gets 403. The message is received as if a carrier had brought it: it is in your inbox, endpoints get `message.received`, keywords such as STOP count, and on WhatsApp it opens the window for free text.',
  })
  play(@Body() request: PlayInboundRequest) {
    this.storage.requireRoom();
    return this.queue.send(playInbound, request);
  }

  @Get('messages')
  @Scope('sms:read')
  @ApiOperation(listOutbox, {
    summary: 'List simulated messages',
    description:
      'Only with a test key; a live key gets 403. What the simulator was given in the last hour, newest first: the texts that recipients would get, with the tokens of OTPs. So a test can read the code that its user would get. For the next page, set `before` to `meta.pagination.next` and keep the filters.',
  })
  messages(@Query() request: ListOutboxRequest) {
    return this.queue.send(listOutbox, request);
  }
}
