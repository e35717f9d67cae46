import type {
  Contract,
  DataOf,
  EventContract,
  ReplyOf,
  RequestContext,
  RequestContract,
} from '@gangan/protocol';
import { Catch, type ExceptionFilter, Inject, type Type } from '@nestjs/common';
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

/**
 * Handles a contract by one call of a service, which Nest injects:
 * ```ts
 * @Controller()
 * @Forwards(lookUpNumber, LookupService, (service, request, context) => service.lookUp(request, context))
 * export class LookupHandler {}
 * ```
 */
export function Forwards<C extends Contract, S extends object>(
  contract: C,
  service: Type<S>,
  call: (service: S, data: DataOf<C>, context: RequestContext) => ReturnType<Handler<C>>,
) {
  return ({ prototype }: Type): void => {
    Inject(service)(prototype as object, service.name);
    const handle = function (this: Readonly<Record<string, S>>, data: DataOf<C>, context: RequestContext) {
      return call(this[service.name] as S, data, context);
    } as Handler<C>;
    Object.defineProperty(prototype, contract.name, { value: handle });
    Handles(contract)(prototype as object, contract.name, { value: handle });
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
