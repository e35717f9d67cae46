import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readInputs } from './read-inputs.js';
import { inputsOf, type RouteInputs } from './route-inputs.js';

/** Stands before every controller. A pipe would see one argument at a time, and could not tell of all that is wrong. */
@Injectable()
export class InputsInterceptor implements NestInterceptor {
  private readonly known = new Map<unknown, RouteInputs>();

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    readInputs(
      context.switchToHttp().getRequest<FastifyRequest>(),
      this.inputsOf(context.getClass(), context.getHandler()),
    );
    return next.handle();
  }

  private inputsOf(controller: Type, method: { readonly name: string }): RouteInputs {
    const inputs = this.known.get(method) ?? inputsOf(controller, method.name);
    this.known.set(method, inputs);
    return inputs;
  }
}
