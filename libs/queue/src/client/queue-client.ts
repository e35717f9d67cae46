import { setTimeout as pause } from 'node:timers/promises';
import {
  type Contract,
  currentContext,
  type DataOf,
  type EventContract,
  newContext,
  newId,
  runWithoutContext,
  type ReplyOf,
  type RequestContext,
  type RequestContract,
  unavailable,
} from '@gangan/protocol';
import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { defer, mergeMap, Observable } from 'rxjs';
import type { Backend } from '../backends/backend.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import { laneOf } from '../lane.js';
import type { Codec, Parcel } from '../wire/codec.js';
import { Call, type CallDependencies } from './call.js';
import { PendingReplies } from './pending-replies.js';
import { RequestSender } from './request-sender.js';

export interface EmitOptions {
  /** Events with the same id are added once. For a row: `<id>-<attempt>`. */
  readonly jobId?: string;
  readonly delayMs?: number;
  /** The priority of the event: 1 is the highest, and events without a priority come before all others. */
  readonly priority?: number;
}

const listenTimeoutMs = 1_000;
/** How long a request waits for its reply after the connection for replies broke. */
const lostReplyMs = 1_000;
const hourSeconds = 3_600;
const unreachable = 'The queue is unreachable; the request was not accepted. Retry shortly.';

type RequestPacket = Parcel & { readonly contract: RequestContract };
type EventPacket = Parcel & { readonly contract: EventContract; readonly options: EmitOptions };

/**
 * The client of the transport: a Nest `ClientProxy` whose patterns are contracts.
 * ```ts
 * const reply = await firstValueFrom(client.send(lookUpNumber, { phone }));
 * await lastValueFrom(client.emit(callbacksDue, { ids }), { defaultValue: undefined });
 * ```
 */
export class QueueClient extends ClientProxy {
  private readonly address = newId();
  private readonly pending = new PendingReplies();
  private readonly sender: RequestSender;
  private readonly dependencies: CallDependencies;
  private subscription?: Promise<void>;
  private sent = 0;

  /** @param app whose process this is */
  constructor(
    private readonly app: string,
    private readonly backend: Backend,
    private readonly codec: Codec,
    private readonly tuning: QueueTuning,
    private readonly logger: QueueLogger,
    observer: QueueObserver,
  ) {
    super();
    this.sender = new RequestSender(backend, tuning, observer, (lane, packed) =>
      codec.sealJob({ sender: app, lane, replyTo: this.address }, packed),
    );
    this.dependencies = { sender: this.sender, pending: this.pending, observer, logger };
  }

  /** Whether replies can reach this process. While they cannot, requests are refused. */
  get listening(): boolean {
    return this.backend.replies.listening;
  }

  /** Nest calls this before each call; only requests need a subscription, see `listen`. */
  override connect(): Promise<void> {
    return Promise.resolve();
  }

  /** Subscribes to replies. The first caller waits for that, up to a second; the others do not wait. */
  async listen(): Promise<void> {
    if (this.subscription) return;
    this.subscription = runWithoutContext(() => this.subscribe());
    await Promise.race([this.subscription, pause(listenTimeoutMs, undefined, { ref: false })]);
  }

  /**
   * Sends a request when the observable is subscribed to, and emits its reply.
   * @throws AppError as the handler threw it; `unavailable` if the request was not accepted; `outcome_unknown` if no reply
   *   came before the deadline, so that the work may have been done
   */
  override send<C extends RequestContract>(
    contract: C,
    data: DataOf<C>,
    context?: RequestContext,
  ): Observable<ReplyOf<C>>;
  /** Nest's untyped signature; it cannot be called. */
  override send(contract: never, data: unknown): Observable<never>;
  override send(
    contract: RequestContract,
    data: object,
    context: RequestContext = currentContext() ?? newContext(),
  ): Observable<unknown> {
    this.assertSender(contract);
    // Like `super.send`, without a promise and three operators for each request.
    const reply = new Observable<unknown>((caller) => {
      const packet = this.createPacket(contract.name, { contract, data, context });
      return this.publish(packet as ReadPacket<RequestPacket>, this.createObserver(caller));
    });
    return this.subscription ? reply : defer(() => this.listen()).pipe(mergeMap(() => reply));
  }

  /** Emits an event at once, also without a subscriber. The observable completes when the event has reached the broker. */
  override emit<C extends EventContract>(
    contract: C,
    data: DataOf<C>,
    options?: EmitOptions,
  ): Observable<void>;
  override emit(contract: never, data: unknown): Observable<never>;
  override emit(contract: EventContract, data: object, options: EmitOptions = {}): Observable<unknown> {
    this.assertSender(contract);
    const context = currentContext() ?? newContext();
    return super.emit(contract.name, { contract, data, context, options } satisfies EventPacket);
  }

  override async close(): Promise<void> {
    await this.sender.idle();
  }

  override unwrap(): never {
    throw new Error('The transport does not expose its connections');
  }

  protected override publish(
    packet: ReadPacket<RequestPacket>,
    callback: (packet: WritePacket) => void,
  ): () => void {
    const { contract, data, context } = packet.data;
    const id = (this.sent += 1).toString(36);
    const call = new Call(id, contract, data, context, callback, this.dependencies);
    if (this.listening) call.send();
    else call.refuse(unavailable(unreachable));
    return () => {
      call.abandon();
    };
  }

  protected override async dispatchEvent<T>(packet: ReadPacket<EventPacket>): Promise<T> {
    const adding = this.addEvent(packet.data);
    this.sender.track(adding);
    try {
      await adding;
    } catch (error) {
      throw this.backend.neverSent(error) ? unavailable(unreachable, error) : error;
    }
    return undefined as T;
  }

  /** Adds an event to its lane. Finished events are kept for an hour, failed ones until an operator removes them. */
  private async addEvent({ contract, data, context, options }: EventPacket): Promise<void> {
    const { jobId, delayMs, priority } = options;
    const organisation = context.organisationId;
    const request = { id: newId(), name: contract.name, ...(organisation && { organisation }) };
    const parcel = JSON.stringify({ data, context } satisfies Parcel);
    const lane = laneOf(contract).name;
    const envelope = this.codec.sealJob({ sender: this.app, lane }, [{ request, parcel }]);
    const queue = await this.backend.queue(lane);
    await queue.add(contract.name, envelope, {
      attempts: contract.attempts,
      backoff: { type: 'exponential', delay: contract.backoffMs, jitter: 0.2 },
      removeOnComplete: { age: hourSeconds, count: 1_000 },
      removeOnFail: false,
      ...(jobId && { jobId }),
      ...(delayMs && { delay: delayMs }),
      ...(priority && { priority }),
    });
  }

  private assertSender({ name, senders }: Contract): void {
    if (senders.includes(this.app)) return;
    throw new Error(`${this.app} may not send ${name}: add it to the senders of the contract`);
  }

  private async subscribe(): Promise<void> {
    try {
      const receive = (payload: string): void => {
        this.receive(payload);
      };
      await this.backend.replies.subscribe(this.address, receive, () => {
        this.pending.timeOutAfter(lostReplyMs);
      });
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'closed before it could listen for replies');
    }
  }

  /** A payload may come from an older, a newer or a hostile sender. */
  private receive(payload: string): void {
    try {
      const { lane, replies } = this.codec.openReplies(this.address, payload);
      const dropped = this.pending.receive(lane, replies);
      if (dropped > 0)
        this.logger.error({ lane, replies: dropped }, 'replies dropped: their requests went to another lane');
    } catch (error) {
      this.logger.error({ reason: String(error) }, 'replies could not be opened');
    }
  }
}
