import { CallbackQuota } from '@gangan/callbacks';
import type * as dto from '@gangan/contracts';
import { type CallbackOf, formatTimestamp, parseTimestamp } from '@gangan/contracts';
import type { CallbackEndpoint } from '@gangan/database';
import { AppError, fieldError, invalidRequest, isId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackService } from '../callback.service.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { EndpointCallbacksRepository } from './endpoint-callbacks.repository.js';
import { EndpointsRepository } from './endpoints.repository.js';
import { endpointNotFound, toOwnedId } from './endpoints.service.js';

const dayMs = 86_400_000;

/** Sends callbacks to an endpoint on request of its organisation: a test, or those of a period again. */
@Injectable()
export class EndpointCallbacksService {
  constructor(
    private readonly endpoints: EndpointsRepository,
    private readonly repository: EndpointCallbacksRepository,
    private readonly callbacks: CallbackService,
    private readonly quota: CallbackQuota,
    private readonly dispatcher: Dispatcher,
    private readonly config: CallbackConfig,
  ) {}

  async test(request: dto.RecordId, context: RequestContext): Promise<dto.CallbackDetails> {
    const endpoint = await this.findEnabled(request, context);
    const { operationId: id, requestId } = context;
    const body: CallbackOf<'endpoint.test'> = {
      type: 'endpoint.test',
      timestamp: formatTimestamp(timeOfId(id)),
      data: { endpoint_id: endpoint.id, message: 'This is a test of the endpoint' },
    };
    await this.repository.addTest(endpoint, { id, requestId, body: JSON.stringify(body) });
    const callback = await this.callbacks.find({ id }, context);
    this.dispatcher.add([endpoint]);
    return callback;
  }

  async recover(request: dto.RecoverRequest, context: RequestContext): Promise<dto.RecoveredCallbacks> {
    const endpoint = await this.findEnabled(request, context);
    const period = this.readPeriod(request);
    const { recovered, next } = await this.repository.recover(
      { endpoint, status: request.status, ...period },
      request.after,
    );
    // Closed even if nothing was recovered: callbacks that are due may wait for the circuit.
    await this.repository.closeCircuit(endpoint);
    this.dispatcher.add([endpoint]);
    return { recovered, ...(next !== undefined && { next }) };
  }

  /** @throws AppError 400 unless `from` is before `to` and callbacks of that time are still kept */
  private readPeriod(request: dto.RecoverFields): { from: Date; to: Date } {
    const from = parseTimestamp(request.from) ?? new Date(0);
    const to = request.to === undefined ? new Date() : (parseTimestamp(request.to) ?? new Date());
    const { CALLBACK_KEPT_DAYS: days } = this.config;
    if (from.getTime() < Date.now() - days * dayMs)
      throw invalidRequest([fieldError('from', `from must be within the last ${days} days`)]);
    if (from >= to) throw invalidRequest([fieldError('to', 'to must be later than from')]);
    if (request.after !== undefined && !isId(request.after))
      throw invalidRequest([fieldError('after', 'after must be the value of next in an earlier response')]);
    return { from, to };
  }

  /** @throws AppError 404, 409 or 429 */
  private async findEnabled(request: dto.RecordId, context: RequestContext): Promise<CallbackEndpoint> {
    const endpoint = await this.endpoints.find(toOwnedId(request, context));
    if (!endpoint) throw endpointNotFound();
    if (!endpoint.enabled) throw endpointDisabled();
    await this.quota.checkResend(endpoint.organisationId);
    return endpoint;
  }
}

const endpointDisabled = (): AppError =>
  new AppError('endpoint_disabled', 409, 'The endpoint is disabled. Enable it first.');
