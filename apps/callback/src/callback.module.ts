import { Module } from '@nestjs/common';
import { CallbackConfig } from './callback.config.js';
import { CallbackHandler } from './callback.handler.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackRepository } from './callback.repository.js';
import { CallbackService } from './callback.service.js';
import { ClaimsRepository } from './dispatch/claims.repository.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { Nudges } from './dispatch/nudges.js';
import { Sweeper } from './dispatch/sweeper.js';
import { GuardedClient } from './guarded/guarded-client.js';
import { ReadingHandler } from './reading/reading.handler.js';
import { ReadingRepository } from './reading/reading.repository.js';
import { ReadingService } from './reading/reading.service.js';
import { FailingHosts } from './upkeep/failing-hosts.js';
import { Pruner } from './upkeep/pruner.js';
import { UpkeepRepository } from './upkeep/upkeep.repository.js';

const guardedClient = {
  provide: GuardedClient,
  inject: [CallbackConfig],
  useFactory: ({ CALLBACK_ALLOW_PRIVATE: allowPrivate, CALLBACK_TIMEOUT_MS: timeoutMs }: CallbackConfig) =>
    new GuardedClient({ allowPrivate, timeoutMs }),
};

@Module({
  controllers: [CallbackHandler, ReadingHandler],
  providers: [
    ...[CallbackService, CallbackRepository, CallbackMetrics, guardedClient],
    ...[Dispatcher, ClaimsRepository, Nudges, Sweeper],
    ...[UpkeepRepository, Pruner, FailingHosts],
    ...[ReadingService, ReadingRepository],
  ],
})
export class CallbackModule {}
