import { CallbacksModule } from '@gangan/callbacks';
import { LeasesModule } from '@gangan/leases';
import { dataSealerOf } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Global, Module } from '@nestjs/common';
import { AttemptsModule } from './attempts/attempts.module.js';
import { CallbackConfig } from './callback.config.js';
import { CallbackHandler } from './callback.handler.js';
import { CallbackMetrics } from './callback.metrics.js';
import { CallbackRepository } from './callback.repository.js';
import { CallbackService } from './callback.service.js';
import { DispatchModule } from './dispatch/dispatch.module.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { RetentionModule } from './retention/retention.module.js';

/** Global: the modules of the folders use the providers of the files beside it. */
@Global()
@Module({
  imports: [
    ...[LeasesModule.forApp('callback'), CallbacksModule.forApp(CallbackConfig)],
    ...[AttemptsModule, DispatchModule, EndpointsModule, RetentionModule],
  ],
  controllers: [CallbackHandler],
  providers: [CallbackService, CallbackRepository, CallbackMetrics, dataSealerOf(CallbackConfig)],
  exports: [CallbackService, CallbackMetrics, DataSealer],
})
export class CallbackModule {}
