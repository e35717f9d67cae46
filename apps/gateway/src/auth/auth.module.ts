import { Module } from '@nestjs/common';
import { NegativeCache } from '../negative-cache.js';
import { type ActiveKey, ApiKeyRepository } from './api-key.repository.js';
import { Authenticator } from './authenticator.js';

/** A revocation must take effect within 5 s. */
const ttlMs = 3_000;
const maxKeys = 10_000;

/** `auth.hooks.ts` checks API keys in Fastify hooks: a Nest guard runs after the body is read, which is too late. */
@Module({
  providers: [
    Authenticator,
    ApiKeyRepository,
    { provide: NegativeCache, useFactory: () => new NegativeCache<ActiveKey>(ttlMs, maxKeys) },
  ],
  exports: [Authenticator],
})
export class AuthModule {}
