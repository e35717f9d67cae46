import { storageKeyOf } from '@gangan/queue';
import { RuntimeConfig } from '@gangan/runtime';
import { Module } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config.js';
import { StorageModule } from '../storage/storage.module.js';
import { ClaimRepository } from './claim.repository.js';
import { Fingerprints } from './fingerprint.js';
import { IdempotencyMetrics } from './idempotency.metrics.js';
import { IdempotencyService } from './idempotency.service.js';
import { ResponseQuota } from './response-quota.js';
import { SealedResponses } from './sealed-responses.js';

/** The keys for what the gateway stores. No other app has them. */
function storageKeys({ QUEUE_KEYS }: RuntimeConfig, { QUEUE_KEY = [] }: GatewayConfig): readonly string[] {
  const { sender, lane } = storageKeyOf('gateway');
  return [...QUEUE_KEYS.of(sender, lane), ...QUEUE_KEY];
}

/** `idempotency.hooks.ts` uses Fastify hooks: a Nest interceptor sees neither response bytes nor all errors. */
@Module({
  imports: [StorageModule],
  providers: [
    ...[ClaimRepository, IdempotencyService, ResponseQuota, IdempotencyMetrics],
    {
      provide: SealedResponses,
      inject: [RuntimeConfig, GatewayConfig],
      useFactory: (runtime: RuntimeConfig, gateway: GatewayConfig) =>
        new SealedResponses(storageKeys(runtime, gateway), gateway.SEAL_MESSAGES),
    },
    {
      provide: Fingerprints,
      inject: [RuntimeConfig, GatewayConfig],
      useFactory: (runtime: RuntimeConfig, gateway: GatewayConfig) =>
        new Fingerprints(storageKeys(runtime, gateway)),
    },
  ],
})
export class IdempotencyModule {}
