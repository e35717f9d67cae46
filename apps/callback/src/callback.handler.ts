import {
  callbacksDue,
  changeBalanceThreshold,
  changeEndpoint,
  createEndpoint,
  findBalanceThreshold,
  findCallback,
  findEndpoint,
  listCallbacks,
  listEndpoints,
  recoverEndpoint,
  removeEndpoint,
  resendCallback,
  rotateEndpointSecret,
  testEndpoint,
} from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { CallbackService } from './callback.service.js';
import { DueCallbacks } from './dispatch/due-callbacks.js';
import { BalanceThresholdService } from './endpoints/balance-threshold.service.js';
import { EndpointCallbacksService } from './endpoints/endpoint-callbacks.service.js';
import { EndpointsService } from './endpoints/endpoints.service.js';

@Controller()
// Does not wait for the attempt: a host that hangs must not block the queue.
@Forwards(callbacksDue, DueCallbacks, (dueCallbacks, { ids, id }) => {
  dueCallbacks.add(ids ?? (id === undefined ? [] : [id]));
})
@Forwards(listCallbacks, CallbackService, (service, ...call) => service.list(...call))
@Forwards(findCallback, CallbackService, (service, ...call) => service.find(...call))
@Forwards(resendCallback, CallbackService, (service, ...call) => service.resend(...call))
@Forwards(createEndpoint, EndpointsService, (service, ...call) => service.create(...call))
@Forwards(listEndpoints, EndpointsService, (service, ...call) => service.list(...call))
@Forwards(findEndpoint, EndpointsService, (service, ...call) => service.find(...call))
@Forwards(changeEndpoint, EndpointsService, (service, ...call) => service.change(...call))
@Forwards(removeEndpoint, EndpointsService, (service, ...call) => service.remove(...call))
@Forwards(rotateEndpointSecret, EndpointsService, (service, ...call) => service.rotateSecret(...call))
@Forwards(testEndpoint, EndpointCallbacksService, (service, ...call) => service.test(...call))
@Forwards(recoverEndpoint, EndpointCallbacksService, (service, ...call) => service.recover(...call))
@Forwards(findBalanceThreshold, BalanceThresholdService, (service, ...call) => service.find(...call))
@Forwards(changeBalanceThreshold, BalanceThresholdService, (service, ...call) => service.change(...call))
export class CallbackHandler {}
