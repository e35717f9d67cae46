import {
  type CallbackDetails,
  callbackDue,
  type CallbackPage,
  findCallback,
  listCallbacks,
  type ListCallbacksRequest,
  type RecordEvent,
  type RecordId,
  resendCallback,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { CallbackService } from './callback.service.js';
import { DueCallbacks } from './dispatch/due-callbacks.js';

@Controller()
export class CallbackHandler {
  constructor(
    private readonly service: CallbackService,
    private readonly dueCallbacks: DueCallbacks,
  ) {}

  /** Does not wait for the attempt: a host that hangs must not block the queue. */
  @Handles(callbackDue)
  due({ id }: RecordEvent): void {
    this.dueCallbacks.add(id);
  }

  @Handles(listCallbacks)
  list(request: ListCallbacksRequest, context: RequestContext): Promise<CallbackPage> {
    return this.service.list(request, context);
  }

  @Handles(findCallback)
  find(request: RecordId, context: RequestContext): Promise<CallbackDetails> {
    return this.service.find(request, context);
  }

  @Handles(resendCallback)
  resend(request: RecordId, context: RequestContext): Promise<CallbackDetails> {
    return this.service.resend(request, context);
  }
}
