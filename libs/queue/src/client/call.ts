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
import type { QueueObserver } from '../observer.js';
import type { PackedRequest, Parcel } from '../wire/codec.js';
import type { Departing, Departure, Departures } from './departures.js';
import type { Fate, WaitingCallers } from './waiting-callers.js';

const waitedInVain = 'Too much was waiting before it: nothing was done, try again shortly';

/** What a call needs of the client it was made through. */
export interface CallSurroundings {
  readonly departures: Departures;
  readonly callers: WaitingCallers;
  readonly observer: QueueObserver;
}

/** A request from the moment it is asked until its caller has an answer, is refused or has gone. */
export class Call implements Departing, Fate {
  readonly lane: Lane;
  readonly packed: PackedRequest;
  readonly weight: number;
  readonly perOrganisation: number | undefined;
  private readonly started = performance.now();
  private departure: Departure | undefined;
  private settled = false;

  constructor(
    private readonly id: string,
    private readonly contract: RequestContract,
    data: object,
    private readonly context: RequestContext,
    private readonly caller: (answer: WritePacket) => void,
    private readonly surroundings: CallSurroundings,
  ) {
    const { organisationId } = context;
    const { name, deadlineMs } = contract;
    this.lane = laneOf(contract);
    this.weight = contract.weigh(data);
    this.perOrganisation = contract.perOrganisation;
    this.packed = {
      request: {
        id,
        name,
        ...(organisationId && { organisation: organisationId }),
        deadline: Date.now() + deadlineMs,
      },
      parcel: JSON.stringify({ data, context } satisfies Parcel),
    };
  }

  depart(): void {
    const { departures, callers } = this.surroundings;
    this.departure = departures.add(this);
    if (this.departure) callers.add(this.id, this.contract.deadlineMs, this);
    else this.refuse(unavailable('The service is overloaded, try again shortly'));
  }

  refuse(error: AppError): void {
    this.settle('error', { err: error });
  }

  failed(error: unknown, neverSent: boolean): void {
    this.refuse(neverSent ? unavailable(undefined, error) : outcomeUnknown(this.context.operationId, error));
  }

  arrived(): void {
    this.departure?.answered();
  }

  answered(reply: Reply): void {
    if (reply.ok) this.settle('ok', { response: reply.data });
    else this.refuse(AppError.from(reply.error));
  }

  gaveUp(): void {
    this.departure?.giveUp();
    const unknown = this.departure?.left === true;
    this.settle('timeout', {
      err: unknown ? outcomeUnknown(this.context.operationId) : unavailable(waitedInVain),
    });
  }

  /** Nobody wants the answer any more. */
  abandon(): void {
    if (this.settled) return;
    this.departure?.giveUp();
    this.surroundings.callers.forget(this.id);
  }

  private settle(outcome: 'ok' | 'error' | 'timeout', answer: WritePacket): void {
    if (this.settled) return;
    this.settled = true;
    const { callers, observer } = this.surroundings;
    callers.forget(this.id);
    observer.replied(this.contract.name, outcome, (performance.now() - this.started) / 1_000);
    answer.isDisposed = true;
    this.caller(answer);
  }
}
