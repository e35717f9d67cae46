import type {
  Contract,
  DataOf,
  EventContract,
  ReplyOf,
  RequestContext,
  RequestContract,
} from '@gangan/protocol';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import type { Observable } from 'rxjs';

type Answer<T> = T | Promise<T> | Observable<T>;

/** The method that may stand under `@Handles(contract)`. */
export type Handler<C extends Contract> = C extends RequestContract
  ? (data: DataOf<C>, context: RequestContext) => Answer<ReplyOf<C>>
  : C extends EventContract
    ? (data: DataOf<C>, context: RequestContext) => Answer<unknown>
    : never;

/** How the server finds the contract again behind Nest's handler. */
export interface HandlerExtras {
  readonly contract: Contract;
}

/**
 * Marks the one method that handles a contract. It is given the data and the request context, and a method of
 * another type does not compile.
 */
export function Handles<C extends Contract>(contract: C) {
  return <H extends Handler<C>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const pattern = contract.kind === 'event' ? EventPattern : MessagePattern;
    const mark = pattern(contract.name, { contract } satisfies HandlerExtras) as MethodDecorator;
    mark(target, key, descriptor);
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
  };
}
