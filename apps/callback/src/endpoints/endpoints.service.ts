import { hostOf } from '@gangan/callbacks';
import type * as dto from '@gangan/contracts';
import { defaultEndpointEvents, defaultOverlapHours, formatTimestamp, maxEndpoints } from '@gangan/contracts';
import { type CallbackEndpoint, newEndpointSecret, openEndpointSecret } from '@gangan/database';
import {
  AppError,
  isId,
  notFound,
  type RequestContext,
  requireOrganisationId,
  timeOfId,
} from '@gangan/protocol';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import type { OwnedId } from '../callback.repository.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { EndpointsRepository } from './endpoints.repository.js';

/** The endpoints of an organisation, and their secrets. */
@Injectable()
export class EndpointsService {
  constructor(
    private readonly repository: EndpointsRepository,
    private readonly sealer: DataSealer,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** If the queue runs the request again, it returns the endpoint of the first run with the same secret. */
  async create(request: dto.NewEndpointRequest, context: RequestContext): Promise<dto.NewCallbackEndpoint> {
    const owned = { id: context.operationId, organisationId: requireOrganisationId(context) };
    const { url, description, enabled = true, reads_messages: readsMessages } = request;
    const events = request.events ?? defaultEventsFor(readsMessages);
    if (!readsMessages && events.includes(messageEvent)) throw mayNotReadMessages();
    const fields = {
      url,
      host: hostOf(url),
      events: [...new Set(events)],
      description: description === undefined || description === '' ? null : description,
      enabled,
      messagesConfirmed: readsMessages,
      createdAt: timeOfId(owned.id),
    };
    const secret = newEndpointSecret(this.sealer, owned.id, owned.organisationId);
    const created = await this.repository.create(owned, fields, secret, maxEndpoints);
    if (!created) throw tooManyEndpoints();
    return { ...toResponse(created), secret: await this.openSecret(owned) };
  }

  async list(context: RequestContext): Promise<dto.CallbackEndpoints> {
    const endpoints = await this.repository.list(requireOrganisationId(context));
    return {
      endpoints: endpoints.map(toResponse),
      meta: { method: 'GET', resource: '/callback-endpoints' },
    };
  }

  async find(request: dto.RecordId, context: RequestContext): Promise<dto.CallbackEndpoint> {
    const found = await this.repository.find(toOwnedId(request, context));
    if (!found) throw endpointNotFound();
    return toResponse(found);
  }

  async change(request: dto.ChangeEndpointRequest, context: RequestContext): Promise<dto.CallbackEndpoint> {
    const { url, events, description, enabled, reads_messages: readsMessages } = request;
    if (!readsMessages && events?.includes(messageEvent)) throw mayNotReadMessages();
    const redirectsMessages = !readsMessages && url !== undefined && events === undefined;
    const fields = {
      ...(url !== undefined && { url, host: hostOf(url) }),
      ...(events !== undefined && { events: [...new Set(events)] }),
      ...(description !== undefined && { description: description === '' ? null : description }),
      ...(enabled !== undefined && { enabled }),
      ...((url ?? events) !== undefined && { messagesConfirmed: readsMessages }),
    };
    const unlessReceiving = redirectsMessages ? messageEvent : undefined;
    const changed = await this.repository.change(toOwnedId(request, context), fields, unlessReceiving);
    if (!changed) throw endpointNotFound();
    const { endpoint, isChanged } = changed;
    if (!isChanged) throw mayNotReadMessages();
    if (url !== undefined) {
      await this.repository.moveWaiting(endpoint);
      this.dispatcher.add([endpoint]);
    }
    return toResponse(endpoint);
  }

  /** If the queue runs the request again, it returns the secret of the first run. */
  async rotateSecret(request: dto.RotateSecretRequest, context: RequestContext): Promise<dto.RotatedSecret> {
    const owned = toOwnedId(request, context);
    const { operationId: id } = context;
    const { organisationId } = owned;
    const { overlap_hours: hours = defaultOverlapHours } = request;
    const created = newEndpointSecret(this.sealer, id, organisationId);
    const until = await this.repository.rotate(owned, created, hours);
    if (!until) throw endpointNotFound();
    const secret = await this.openSecret({ id, organisationId });
    return { id: request.id, secret, previous_secret_until: formatTimestamp(until) };
  }

  async remove(request: dto.RecordId, context: RequestContext): Promise<dto.CallbackEndpoint> {
    const removed = await this.repository.remove(toOwnedId(request, context));
    if (!removed) throw endpointNotFound();
    return toResponse(removed);
  }

  private async openSecret(owned: OwnedId): Promise<string> {
    const row = await this.repository.findSecret(owned);
    if (!row) throw endpointNotFound();
    return openEndpointSecret(this.sealer, row);
  }
}

export const endpointNotFound = (): AppError => notFound('The endpoint');

/** The only event with the text of a message. Only a key with the scope `sms:read` decides where it goes. */
const messageEvent: dto.CallbackType = 'message.received';

const defaultEventsFor = (readsMessages: boolean): readonly dto.CallbackType[] =>
  readsMessages ? defaultEndpointEvents : defaultEndpointEvents.filter((type) => type !== messageEvent);

const mayNotReadMessages = (): AppError =>
  new AppError(
    'out_of_scope',
    403,
    `This API key lacks the scope sms:read, which ${messageEvent} needs. Use a key that has it, or give events without ${messageEvent}.`,
  );

const tooManyEndpoints = (): AppError =>
  new AppError('quota_exceeded', 403, `The organisation has ${maxEndpoints} endpoints. Delete one first.`);

/** @throws AppError 404 for an invalid id, as for an unknown one */
export function toOwnedId({ id }: dto.RecordId, context: RequestContext): OwnedId {
  if (!isId(id)) throw endpointNotFound();
  return { id, organisationId: requireOrganisationId(context) };
}

const toResponse = (row: CallbackEndpoint) =>
  ({
    id: row.id,
    url: row.url,
    events: row.events,
    ...(row.description !== null && { description: row.description }),
    enabled: row.enabled,
    created_datetime: formatTimestamp(row.createdAt),
    ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
  }) satisfies dto.CallbackEndpoint;
