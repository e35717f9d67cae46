import { Module } from '@nestjs/common';
import { NegativeCache } from '../negative-cache.js';
import { type ActiveKey, ApiKeyRepository } from './api-key.repository.js';
import { Authenticator } from './authenticator.js';

/** A revocation must take effect within 5 s. */
const ttlMs = 3_000;
const maxKeys = 10_000;

/**
 * API keys. `auth.hooks.ts` registers authentication and the scope check as Fastify `onRequest` hooks, not as Nest
 * guards: guards run after the body is parsed, and an unauthenticated body must not be read.
 */
@Module({
  providers: [
    Authenticator,
    ApiKeyRepository,
    { provide: NegativeCache, useFactory: () => new NegativeCache<ActiveKey>(ttlMs, maxKeys) },
  ],
  exports: [Authenticator],
})
export class AuthModule {}
