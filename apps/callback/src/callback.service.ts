import { CallbackQuota } from '@gangan/callbacks';
import {
  type CallbackAttempt,
  type CallbackDetails,
  type CallbackPage,
  callbackReason,
  type CallbackSummary,
  defaultPageSize,
  formatTimestamp,
  type ListCallbacksRequest,
  type RecordId,
} from '@gangan/contracts';
import { readPage } from '@gangan/database';
import { type AppError, isId, notFound, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { CallbackBodies } from './attempts/callback-bodies.js';
import {
  CallbackRepository,
  type CallbackRow,
  type CallbackWithAttempts,
  type OwnedId,
} from './callback.repository.js';
import { DueCallbacks } from './dispatch/due-callbacks.js';

const maxAnswerBytes = 1_024;

/** Shows an organisation its callbacks, and sends one again on request. */
@Injectable()
export class CallbackService {
  constructor(
    private readonly repository: CallbackRepository,
    private readonly quota: CallbackQuota,
    private readonly dueCallbacks: DueCallbacks,
    private readonly bodies: CallbackBodies,
  ) {}

  async list(request: ListCallbacksRequest, context: RequestContext): Promise<CallbackPage> {
    const { limit = defaultPageSize, before, status, type } = request;
    const query = {
      organisationId: requireOrganisationId(context),
      before,
      status,
      type,
      resourceId: request.resource_id,
      endpointId: request.endpoint_id,
    };
    const { rows, pagination } = await readPage(limit, (size) => this.repository.list(query, size));
    return {
      callbacks: rows.map(toSummary),
      meta: { method: 'GET', resource: '/callbacks', pagination },
    };
  }

  async find(request: RecordId, context: RequestContext): Promise<CallbackDetails> {
    return this.read(toOwnedId(request, context));
  }

  /** The quota is not checked for a pending callback, which it counts already. @throws AppError 404 or 429 */
  async resend(request: RecordId, context: RequestContext): Promise<CallbackDetails> {
    const owned = toOwnedId(request, context);
    const { status } = await this.read(owned);
    if (status !== 'pending') await this.quota.checkResend(owned.organisationId);
    if (!(await this.repository.makeDue(owned))) throw callbackNotFound();
    const callback = await this.read(owned);
    this.dueCallbacks.add([owned.id]);
    return callback;
  }

  private async read(owned: OwnedId): Promise<CallbackDetails> {
    const found = await this.repository.find(owned);
    if (!found) throw callbackNotFound();
    return toDetails(found, this.bodies.show(found));
  }
}

const callbackNotFound = (): AppError => notFound('The callback');

/** @throws AppError 404 for an invalid id, as for an unknown one */
function toOwnedId({ id }: RecordId, context: RequestContext): OwnedId {
  if (!isId(id)) throw callbackNotFound();
  return { id, organisationId: requireOrganisationId(context) };
}

const toSummary = (row: CallbackRow) =>
  ({
    id: row.id,
    type: row.type,
    resource_id: row.resourceId,
    ...(row.endpointId !== null && { endpoint_id: row.endpointId }),
    url: row.url,
    status: row.state,
    attempt_count: row.attempt,
    created_datetime: formatTimestamp(row.createdAt),
    ...(row.nextAttemptAt && { next_attempt_datetime: formatTimestamp(row.nextAttemptAt) }),
    ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
  }) satisfies CallbackSummary;

const toDetails = (row: CallbackWithAttempts, body: string): CallbackDetails => ({
  ...toSummary(row),
  request_id: row.requestId,
  body,
  attempts: row.attempts.map(toAttempt),
});

const toAttempt = (row: CallbackWithAttempts['attempts'][number]): CallbackAttempt => ({
  attempt: row.attempt,
  ...(row.status !== null && { status: row.status }),
  ...(row.error !== null && { reason: callbackReason(row.error), error: row.error }),
  ...(row.answer?.length && { answer: decodeText(row.answer.subarray(0, maxAnswerBytes)) }),
  started_datetime: formatTimestamp(row.startedAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** Omits a character that is cut at the end. Invalid bytes become U+FFFD. */
const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });
