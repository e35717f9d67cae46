import { callbackDue, findCallback, listCallbacks, resendCallback } from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { CallbackService } from './callback.service.js';
import { DueCallbacks } from './dispatch/due-callbacks.js';

@Controller()
// Does not wait for the attempt: a host that hangs must not block the queue.
@Forwards(callbackDue, DueCallbacks, (dueCallbacks, { id }) => {
  dueCallbacks.add(id);
})
@Forwards(listCallbacks, CallbackService, (service, ...call) => service.list(...call))
@Forwards(findCallback, CallbackService, (service, ...call) => service.find(...call))
@Forwards(resendCallback, CallbackService, (service, ...call) => service.resend(...call))
export class CallbackHandler {}
