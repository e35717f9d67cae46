import { RuntimeConfig } from '@gangan/runtime';
import { Module } from '@nestjs/common';
import { ClaimRepository } from './claim.repository.js';
import { Fingerprints } from './fingerprint.js';
import { IdempotencyService } from './idempotency.service.js';

/**
 * The `Idempotency-Key` header. `idempotency.hooks.ts` registers it as Fastify hooks, not as a Nest interceptor: it
 * stores the bytes of the response, which exist only in `onSend`, and it also sees errors of pipes and filters.
 */
@Module({
  providers: [
    ClaimRepository,
    IdempotencyService,
    {
      provide: Fingerprints,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new Fingerprints(QUEUE_KEY),
    },
  ],
})
export class IdempotencyModule {}
