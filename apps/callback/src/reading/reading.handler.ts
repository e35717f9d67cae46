import {
  type CallbackDetails,
  type CallbackPage,
  findCallback,
  type FindCallbackRequest,
  listCallbacks,
  type ListCallbacksRequest,
  resendCallback,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { ReadingService } from './reading.service.js';

@Controller()
export class ReadingHandler {
  constructor(private readonly service: ReadingService) {}

  @Handles(listCallbacks)
  list(request: ListCallbacksRequest, context: RequestContext): Promise<CallbackPage> {
    return this.service.list(request, context);
  }

  @Handles(findCallback)
  find(request: FindCallbackRequest, context: RequestContext): Promise<CallbackDetails> {
    return this.service.find(request, context);
  }

  @Handles(resendCallback)
  resend(request: FindCallbackRequest, context: RequestContext): Promise<CallbackDetails> {
    return this.service.resend(request, context);
  }
}
