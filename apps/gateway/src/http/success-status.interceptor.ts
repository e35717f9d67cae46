import {
  type CallHandler,
  type ExecutionContext,
  HttpStatus,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Nest would answer a POST with 201. Here every success is 200, creates included. */
@Injectable()
export class SuccessStatusInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    void context.switchToHttp().getResponse<FastifyReply>().status(HttpStatus.OK);
    return next.handle();
  }
}
