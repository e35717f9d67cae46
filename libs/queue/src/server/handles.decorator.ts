import type {
  Contract,
  DataOf,
  EventContract,
  ReplyOf,
  RequestContext,
  RequestContract,
} from '@gangan/protocol';
import { Catch, type ExceptionFilter } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

type Result<T> = T | Promise<T> | Observable<T>;

/** The type of a method under `@Handles(contract)`. */
export type Handler<C extends Contract> = C extends RequestContract
  ? (data: DataOf<C>, context: RequestContext) => Result<ReplyOf<C>>
  : C extends EventContract
    ? (data: DataOf<C>, context: RequestContext) => Result<unknown>
    : never;

/** Passes the contract of a handler through Nest to the server. */
export interface HandlerMetadata {
  readonly contract: Contract;
  /** Set if the handler takes a whole batch. */
  readonly together?: true;
}

/**
 * Marks the method that handles a contract. It gets the data and the request context; a method of another type does not
 * compile.
 * ```ts
 * @Handles(lookUpNumber)
 * lookUp(request: LookUpRequest, context: RequestContext): Promise<LookUpReply> { … }
 * ```
 */
export function Handles<C extends Contract>(contract: C) {
  return <H extends Handler<C>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const pattern = contract.kind === 'event' ? EventPattern : MessagePattern;
    const mark = pattern(contract.name, { contract } satisfies HandlerMetadata) as MethodDecorator;
    mark(target, key, descriptor);
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
  };
}

export interface BatchMember<C extends RequestContract> {
  readonly data: DataOf<C>;
  readonly context: RequestContext;
}

/** The members that a batch handler takes; all others run through the handler of `@Handles`. */
export interface TakenMembers<C extends RequestContract> {
  readonly members: readonly BatchMember<C>[];
  /**
   * In the order of `members`. A member whose reply is `undefined` runs through the handler of `@Handles` after all, and
   * so do all if the promise rejects: both handlers must find what the other has stored.
   */
  readonly replies: Promise<readonly (ReplyOf<C> | Error | undefined)[]>;
}

/** The type of a method under `@HandlesBatch(contract)`. */
export type BatchHandler<C extends RequestContract> = (members: readonly BatchMember<C>[]) => TakenMembers<C>;

/**
 * Marks a method that handles the usual requests of a contract together, once per job: without a promise or a context for
 * each. The contract needs a method under `@Handles` too. It gets the members that this one does not take, and every
 * request that runs a second time.
 */
export function HandlesBatch<C extends RequestContract>(contract: C) {
  return <H extends BatchHandler<C>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const metadata = { contract, together: true } satisfies HandlerMetadata;
    MessagePattern(`${contract.name} together`, metadata)(target, key, descriptor);
    Payload()(target, key, 0);
  };
}

/** Passes errors on unchanged: Nest would turn each into `Internal server error`. */
@Catch()
export class ErrorPassthroughFilter implements ExceptionFilter {
  /** @param translate replaces errors that mean something else to the caller, such as an unreachable database */
  constructor(private readonly translate: (error: unknown) => unknown = (error) => error) {}

  catch(error: unknown): Observable<never> {
    return throwError(() => this.translate(error));
  }
}
