import { ContractSettings } from '@gangan/contracts';
import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { GatewayConfig } from '../gateway.config.js';
import { ErrorFilter } from './errors/error.filter.js';

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
  ],
  exports: [ContractSettings],
})
export class HttpModule {}
