import { RuntimeConfig } from '@gangan/runtime';
import { Module } from '@nestjs/common';
import { ClaimRepository } from './claim.repository.js';
import { Fingerprints } from './fingerprint.js';
import { IdempotencyService } from './idempotency.service.js';

/** `idempotency.hooks.ts` uses Fastify hooks: a Nest interceptor sees neither response bytes nor all errors. */
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
