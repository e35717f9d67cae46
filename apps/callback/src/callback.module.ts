import { CallbacksModule } from '@gangan/callbacks';
import { LeasesModule } from '@gangan/leases';
import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { CallbackConfig } from './callback.config.js';
import { CallbackHandler } from './callback.handler.js';
import { CallbackMetrics } from './callback.metrics.js';
import { CallbackRepository } from './callback.repository.js';
import { callbackRetention } from './callback.retention.js';
import { CallbackService } from './callback.service.js';
import { AttemptRepository } from './attempts/attempt.repository.js';
import { AttemptService } from './attempts/attempt.service.js';
import { CallbackBodies } from './attempts/callback-bodies.js';
import { SigningSecrets } from './attempts/signing-secrets.js';
import { StoredSecrets } from './attempts/stored-secrets.js';
import { ClaimsRepository } from './dispatch/claims.repository.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { DueCallbacks } from './dispatch/due-callbacks.js';
import { Sweeper } from './dispatch/sweeper.js';
import { BalanceThresholdService } from './endpoints/balance-threshold.service.js';
import { EndpointCallbacksRepository } from './endpoints/endpoint-callbacks.repository.js';
import { EndpointCallbacksService } from './endpoints/endpoint-callbacks.service.js';
import { EndpointsRepository } from './endpoints/endpoints.repository.js';
import { EndpointsService } from './endpoints/endpoints.service.js';
import { GuardedClient } from '@gangan/http-client';
import { FailingHosts } from './retention/failing-hosts.js';
import { OffEndpoints } from './retention/off-endpoints.js';
import { UndeliveredCallbacks } from './retention/undelivered-callbacks.js';

const guardedClient = {
  provide: GuardedClient,
  inject: [CallbackConfig],
  useFactory: ({ CALLBACK_ALLOW_PRIVATE: allowPrivate, CALLBACK_TIMEOUT_MS: timeoutMs }: CallbackConfig) =>
    new GuardedClient({ allowPrivate, timeoutMs }),
};

const dataSealer = {
  provide: DataSealer,
  inject: [CallbackConfig],
  useFactory: ({ DATA_KEYS }: CallbackConfig) => new DataSealer(DATA_KEYS),
};

@Module({
  imports: [LeasesModule.forApp('callback'), CallbacksModule.forApp(CallbackConfig)],
  controllers: [CallbackHandler],
  providers: [
    ...[CallbackService, CallbackRepository, CallbackMetrics],
    ...[AttemptService, AttemptRepository, CallbackBodies, guardedClient],
    ...[SigningSecrets, StoredSecrets, dataSealer],
    ...[EndpointsService, EndpointsRepository],
    ...[EndpointCallbacksService, EndpointCallbacksRepository, BalanceThresholdService],
    ...[Dispatcher, ClaimsRepository, DueCallbacks, Sweeper],
    ...[callbackRetention, UndeliveredCallbacks, FailingHosts, OffEndpoints],
  ],
})
export class CallbackModule {}
