import { findCallback, listCallbacks, ListCallbacksRequest, resendCallback } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { outOfScope } from '../http/errors/http.errors.js';
import { Scope } from '../http/routes/access.js';
import { HasScope } from '../http/routes/has-scope.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('callbacks')
@ApiTag('Callbacks', 'Callbacks that were sent to your URLs, and the responses')
export class CallbacksController {
  constructor(private readonly queue: QueueClient) {}

  @Get()
  @Scope('callbacks:read')
  @ApiOperation(listCallbacks, {
    summary: 'List callbacks',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next` and keep the filters. Finished callbacks are kept for some weeks.',
  })
  list(@Query() request: ListCallbacksRequest) {
    return this.queue.send(listCallbacks, request);
  }

  @Get(':id')
  @Scope('callbacks:read')
  @ApiOperation(findCallback, {
    summary: 'Read a callback',
    description:
      'Returns what was sent, when, and the responses of your server. The body of a `message.received` contains the text of a message, so a key without the scope `sms:read` gets 403.',
  })
  async find(@Param('id') id: string, @HasScope('sms:read') readsMessages: boolean) {
    const callback = await firstValueFrom(this.queue.send(findCallback, { id }));
    if (callback.type === 'message.received' && !readsMessages) throw outOfScope('sms:read');
    return callback;
  }

  @Post(':id/resend')
  @Scope('callbacks:write')
  @ApiOperation(resendCallback, {
    summary: 'Resend a callback',
    description:
      'Makes the callback due now, in any state. It is sent with the same id and body, and retried like a new one. If an attempt is in flight, no second one is started.',
  })
  resend(@Param('id') id: string) {
    return this.queue.send(resendCallback, { id });
  }
}
