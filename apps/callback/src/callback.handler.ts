import * as dto from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { CallbackService } from './callback.service.js';
import { DueCallbacks } from './dispatch/due-callbacks.js';
import { BalanceThresholdService } from './endpoints/balance-threshold.service.js';
import { EndpointCallbacksService } from './endpoints/endpoint-callbacks.service.js';
import { EndpointsService } from './endpoints/endpoints.service.js';

@Controller()
export class CallbackHandler {
  constructor(
    private readonly dueCallbacks: DueCallbacks,
    private readonly callbacks: CallbackService,
    private readonly endpoints: EndpointsService,
    private readonly endpointCallbacks: EndpointCallbacksService,
    private readonly balanceThreshold: BalanceThresholdService,
  ) {}

  @Handles(dto.callbacksDue)
  callbacksDue({ ids, id }: dto.CallbacksDue): void {
    // Does not wait for the attempt: a host that hangs must not block the queue.
    this.dueCallbacks.add(ids ?? (id === undefined ? [] : [id]));
  }

  @Handles(dto.listCallbacks)
  listCallbacks(request: dto.ListCallbacksRequest, context: RequestContext) {
    return this.callbacks.list(request, context);
  }

  @Handles(dto.findCallback)
  findCallback(request: dto.RecordId, context: RequestContext) {
    return this.callbacks.find(request, context);
  }

  @Handles(dto.resendCallback)
  resendCallback(request: dto.RecordId, context: RequestContext) {
    return this.callbacks.resend(request, context);
  }

  @Handles(dto.createEndpoint)
  createEndpoint(request: dto.NewEndpointRequest, context: RequestContext) {
    return this.endpoints.create(request, context);
  }

  @Handles(dto.listEndpoints)
  listEndpoints(_: object, context: RequestContext) {
    return this.endpoints.list(context);
  }

  @Handles(dto.findEndpoint)
  findEndpoint(request: dto.RecordId, context: RequestContext) {
    return this.endpoints.find(request, context);
  }

  @Handles(dto.changeEndpoint)
  changeEndpoint(request: dto.ChangeEndpointRequest, context: RequestContext) {
    return this.endpoints.change(request, context);
  }

  @Handles(dto.removeEndpoint)
  removeEndpoint(request: dto.RecordId, context: RequestContext) {
    return this.endpoints.remove(request, context);
  }

  @Handles(dto.rotateEndpointSecret)
  rotateEndpointSecret(request: dto.RotateSecretRequest, context: RequestContext) {
    return this.endpoints.rotateSecret(request, context);
  }

  @Handles(dto.testEndpoint)
  testEndpoint(request: dto.RecordId, context: RequestContext) {
    return this.endpointCallbacks.test(request, context);
  }

  @Handles(dto.recoverEndpoint)
  recoverEndpoint(request: dto.RecoverRequest, context: RequestContext) {
    return this.endpointCallbacks.recover(request, context);
  }

  @Handles(dto.findBalanceThreshold)
  findBalanceThreshold(_: object, context: RequestContext) {
    return this.balanceThreshold.find(context);
  }

  @Handles(dto.changeBalanceThreshold)
  changeBalanceThreshold(request: dto.ChangeBalanceThreshold, context: RequestContext) {
    return this.balanceThreshold.change(request, context);
  }
}
