import {
  AppError,
  outcomeUnknown,
  type Reply,
  type RequestContext,
  type RequestContract,
  unavailable,
} from '@gangan/protocol';
import type { WritePacket } from '@nestjs/microservices';
import { type Lane, laneOf } from '../lane.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { PackedRequest, Parcel } from '../wire/codec.js';
import type { PendingReplies, ReplyListener } from './pending-replies.js';
import type { OutgoingRequest, RequestSender, SendingRequest } from './request-sender.js';

export interface CallDependencies {
  readonly sender: RequestSender;
  readonly pending: PendingReplies;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
}

/** A request, from the call until its reply, its refusal or its abandonment. */
export class Call implements OutgoingRequest, ReplyListener {
  readonly lane: Lane;
  readonly packed: PackedRequest;
  readonly weight: number;
  readonly perOrganisation: number | undefined;
  readonly lowPriority: boolean;
  private readonly started = performance.now();
  private sending: SendingRequest | undefined;
  private settled = false;

  constructor(
    private readonly id: string,
    private readonly contract: RequestContract,
    data: object,
    private readonly context: RequestContext,
    private readonly callback: (packet: WritePacket) => void,
    private readonly dependencies: CallDependencies,
  ) {
    const { organisationId } = context;
    const { name, deadlineMs } = contract;
    this.lane = laneOf(contract);
    this.weight = contract.weigh(data);
    this.perOrganisation = contract.perOrganisation;
    this.lowPriority = contract.lowPriority ?? false;
    const deadline = Date.now() + deadlineMs;
    this.packed = {
      request: { id, name, ...(organisationId && { organisation: organisationId }), deadline },
      parcel: JSON.stringify({ data, context } satisfies Parcel),
    };
  }

  send(): void {
    const { sender, pending } = this.dependencies;
    this.sending = sender.add(this);
    if (this.sending) pending.add(this.id, this.contract.deadlineMs, this);
    else this.refuse(unavailable('The queue is full; the request was not accepted. Retry shortly.'));
  }

  refuse(error: AppError): void {
    this.settle('error', { err: error });
  }

  failed(error: unknown, neverSent: boolean): void {
    this.refuse(neverSent ? unavailable(undefined, error) : outcomeUnknown(this.context.operationId, error));
  }

  arrived(): void {
    this.sending?.replied();
  }

  replied(reply: Reply): void {
    if (reply.ok) this.settle('ok', { response: reply.data });
    else this.refuse(AppError.from(reply.error));
  }

  timedOut(): void {
    this.sending?.abandon();
    this.settle('timeout', {
      err: this.sending?.sent
        ? outcomeUnknown(this.context.operationId)
        : unavailable('The request waited too long and was not started. Retry shortly.'),
    });
  }

  /** Called when the caller has unsubscribed. */
  abandon(): void {
    if (this.settled) return;
    this.sending?.abandon();
    this.dependencies.pending.forget(this.id);
  }

  private settle(outcome: 'ok' | 'error' | 'timeout', packet: WritePacket): void {
    if (this.settled) return;
    this.settled = true;
    const { pending, observer, logger } = this.dependencies;
    const { requestId, organisationId } = this.context;
    const { name: contract } = this.contract;
    const elapsedMs = performance.now() - this.started;
    pending.forget(this.id);
    observer.replied(contract, outcome, elapsedMs / 1_000);
    const ms = Math.round(elapsedMs * 10) / 10;
    logger.debug?.({ requestId, organisationId, contract, outcome, ms }, 'reply');
    packet.isDisposed = true;
    this.callback(packet);
  }
}
