import { playInbound, PlayInboundRequest } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Post } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('simulator')
@ApiTag('Simulator', 'Play what happens outside, with test keys')
export class SimulatorController {
  constructor(private readonly queue: QueueClient) {}

  @Post('inbound')
  @Scope('sms:write')
  @ApiOperation(playInbound, {
    summary: 'Play an incoming message',
    description:
      'Only with a test key; a live key gets 403. The message is received as if a carrier had brought it: it is in your inbox, endpoints get `message.received`, keywords such as STOP count, and on WhatsApp it opens the window for free text.',
  })
  play(@Body() request: PlayInboundRequest) {
    return this.queue.send(playInbound, request);
  }
}
