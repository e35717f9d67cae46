import {
  type CallbackDetails,
  type CallbackPage,
  findCallback,
  listCallbacks,
  ListCallbacksRequest,
  resendCallback,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers, DescribedIn } from '../openapi/answers.js';

@Controller('callbacks')
@DescribedIn('Callbacks', 'What was reported to your URLs, and how they answered')
export class CallbacksController {
  constructor(private readonly queue: QueueClient) {}

  @Get()
  @Scope('callbacks:read')
  @Answers(listCallbacks, {
    summary: 'List callbacks',
    description:
      'Newest first. To read on, ask again with `before` set to `meta.pagination.next` and the same filters. Those that have ended are kept for some weeks.',
  })
  list(@Query() request: ListCallbacksRequest): Observable<CallbackPage> {
    return this.queue.send(listCallbacks, request);
  }

  @Get(':id')
  @Scope('callbacks:read')
  @Answers(findCallback, {
    summary: 'Read a callback',
    description: 'Tells what was sent, when, and what your server answered.',
  })
  find(@Param('id') id: string): Observable<CallbackDetails> {
    return this.queue.send(findCallback, { id });
  }

  @Post(':id/resend')
  @Scope('callbacks:write')
  @Answers(resendCallback, {
    summary: 'Send a callback again',
    description:
      'Makes it due now, whatever became of it: it is sent with the same id and body, and if that is in vain, tried again as a new one would be. An attempt that is just under way counts as that: there is no second beside it.',
  })
  resend(@Param('id') id: string): Observable<CallbackDetails> {
    return this.queue.send(resendCallback, { id });
  }
}
