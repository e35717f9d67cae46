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

/** `idempotency.hooks.ts` uses Fastify hooks: a Nest interceptor sees neither response bytes nor all errors. */
@Module({
  imports: [StorageModule],
  providers: [
    ...[ClaimRepository, IdempotencyService, ResponseQuota, IdempotencyMetrics],
    {
      provide: SealedResponses,
      inject: [RuntimeConfig, GatewayConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig, { SEAL_MESSAGES }: GatewayConfig) =>
        new SealedResponses(QUEUE_KEY, SEAL_MESSAGES),
    },
    {
      provide: Fingerprints,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new Fingerprints(QUEUE_KEY),
    },
  ],
})
export class IdempotencyModule {}
