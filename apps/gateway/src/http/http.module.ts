import { ContractSettings } from '@gangan/contracts';
import {
  type CallHandler,
  type ExecutionContext,
  Global,
  HttpStatus,
  Injectable,
  Module,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { GatewayConfig } from '../gateway.config.js';
import { ErrorFilter } from './errors/error.filter.js';
import { InputsInterceptor } from './request/inputs.interceptor.js';

/** Nest responds to a POST with 201. Here every success is 200. */
@Injectable()
class SuccessStatusInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    void context.switchToHttp().getResponse<FastifyReply>().status(HttpStatus.OK);
    return next.handle();
  }
}

/** What surrounds every controller. What must run before the body is read is a Fastify hook: see configure-http.ts. */
@Global()
@Module({
  providers: [
    {
      provide: ContractSettings,
      inject: [GatewayConfig],
      useFactory: (config: GatewayConfig) => new ContractSettings(config),
    },
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: InputsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: SuccessStatusInterceptor },
  ],
  exports: [ContractSettings],
})
export class HttpModule {}
