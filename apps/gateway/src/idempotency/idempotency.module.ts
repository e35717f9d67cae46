import { RuntimeConfig } from '@gangan/runtime';
import { Module } from '@nestjs/common';
import { ClaimPruner } from './claim-pruner.js';
import { ClaimRepository } from './claim.repository.js';
import { Fingerprints } from './fingerprint.js';
import { Idempotency } from './idempotency.js';

@Module({
  providers: [
    ClaimPruner,
    ClaimRepository,
    Idempotency,
    {
      provide: Fingerprints,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new Fingerprints(QUEUE_KEY),
    },
  ],
})
export class IdempotencyModule {}
