import { setTimeout as pause } from 'node:timers/promises';
import {
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
import type { Codec } from '../wire/codec.js';
import { addEvent, type EmitOptions } from './add-event.js';
import { Call, type CallSurroundings } from './call.js';
import { Departures } from './departures.js';
import { WaitingCallers } from './waiting-callers.js';

const LISTEN_MS = 1_000;

interface RequestPacket {
  readonly contract: RequestContract;
  readonly data: object;
  readonly context: RequestContext;
}

interface EventPacket {
  readonly contract: EventContract;
  readonly data: object;
  readonly context: RequestContext;
  readonly options: EmitOptions;
}

/** The calling end of the transport: a Nest client whose patterns are contracts. */
export class QueueClient extends ClientProxy {
  private readonly address = newId();
  private readonly callers = new WaitingCallers();
  private readonly departures: Departures;
  private readonly surroundings: CallSurroundings;
  private subscription?: Promise<void>;
  private sent = 0;

  constructor(
    private readonly backend: Backend,
    private readonly codec: Codec,
    private readonly tuning: QueueTuning,
    private readonly logger: QueueLogger,
    observer: QueueObserver,
  ) {
    super();
    this.departures = new Departures(backend, tuning, observer, (packed) =>
      codec.sealJob(this.address, packed),
    );
    this.surroundings = { departures: this.departures, callers: this.callers, observer };
  }

  /** Whether answers can reach this process; while they cannot, requests are refused rather than left unanswered. */
  get listening(): boolean {
    return this.backend.replies.listening;
  }

  /** Nest calls this before everything; only requests need more, see `listen`. */
  override connect(): Promise<void> {
    return Promise.resolve();
  }

  /** Starts to listen for answers. Who starts it waits for it, within bounds; others learn at once how it stands. */
  async listen(): Promise<void> {
    if (this.subscription) return;
    this.subscription = runWithoutContext(() => this.subscribe());
    await Promise.race([this.subscription, pause(LISTEN_MS, undefined, { ref: false })]);
  }

  /**
   * Asks, and gives the answer. Nothing leaves before the observable is subscribed to.
   * @throws AppError as the handler threw it; `unavailable` when nothing was accepted;
   *   `outcome_unknown` when no answer came in time and the work may have been done.
   */
  override send<C extends RequestContract>(
    contract: C,
    data: DataOf<C>,
    context?: RequestContext,
  ): Observable<ReplyOf<C>>;
  /** Nest's untyped form cannot be called: there is no `never`. */
  override send(contract: never, data: unknown): Observable<never>;
  override send(
    contract: RequestContract,
    data: object,
    context: RequestContext = currentContext() ?? newContext(),
  ): Observable<unknown> {
    // What `super.send` does, without a promise and three operators for each request.
    const answer = new Observable<unknown>((caller) => {
      const packet = this.createPacket(contract.name, {
        contract,
        data,
        context,
      }) as ReadPacket<RequestPacket>;
      return this.publish(packet, this.createObserver(caller));
    });
    return this.subscription ? answer : defer(() => this.listen()).pipe(mergeMap(() => answer));
  }

  /** Tells. Leaves at once; subscribe to learn when it has reached the broker, or that it did not. */
  override emit<C extends EventContract>(
    contract: C,
    data: DataOf<C>,
    options?: EmitOptions,
  ): Observable<void>;
  override emit(contract: never, data: unknown): Observable<never>;
  override emit(contract: EventContract, data: object, options: EmitOptions = {}): Observable<unknown> {
    const context = currentContext() ?? newContext();
    return super.emit(contract.name, { contract, data, context, options } satisfies EventPacket);
  }

  override async close(): Promise<void> {
    await this.departures.settled();
  }

  override unwrap(): never {
    throw new Error('The transport keeps its connections to itself');
  }

  protected override publish(
    packet: ReadPacket<RequestPacket>,
    callback: (packet: WritePacket) => void,
  ): () => void {
    const { contract, data, context } = packet.data;
    const id = (this.sent += 1).toString(36);
    const call = new Call(id, contract, data, context, callback, this.surroundings);
    if (this.listening) call.depart();
    else call.refuse(unavailable('The queue is unreachable, try again shortly'));
    return () => {
      call.abandon();
    };
  }

  protected override async dispatchEvent<T>(packet: ReadPacket<EventPacket>): Promise<T> {
    const { contract, data, context, options } = packet.data;
    const adding = addEvent(this.backend, this.codec, contract, { data, context }, options);
    this.departures.await(adding);
    try {
      await adding;
    } catch (error) {
      if (this.backend.neverSent(error))
        throw unavailable('The queue is unreachable, try again shortly', error);
      throw error;
    }
    return undefined as T;
  }

  private async subscribe(): Promise<void> {
    try {
      await this.backend.replies.subscribe(this.address, (payload) => {
        this.receive(payload);
      });
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'closed before it could listen for answers');
    }
  }

  /** Whatever arrives here may be from an older, a newer or a hostile sender. */
  private receive(payload: string): void {
    try {
      this.callers.answer(this.codec.openReplies(this.address, payload));
    } catch (error) {
      this.logger.error({ reason: String(error) }, 'answers could not be opened');
    }
  }
}
