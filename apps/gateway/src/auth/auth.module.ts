import { Module } from '@nestjs/common';
import { Recent } from '../recent.js';
import { ApiKeyCheck } from './api-key-check.js';
import { ApiKeyRepository, type LivingKey } from './api-key.repository.js';

/** A revocation must hold within 5 s. */
const memoryMs = 3_000;
const room = 10_000;

@Module({
  providers: [
    ApiKeyCheck,
    ApiKeyRepository,
    { provide: Recent, useFactory: () => new Recent<LivingKey>(memoryMs, room) },
  ],
  exports: [ApiKeyCheck],
})
export class AuthModule {}
