import { Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/**
 * Rate limits per organisation and key, and load shedding. `limits.hooks.ts` registers both as Fastify `onRequest`
 * hooks: a rejected request must cost little, so its body is not read. Load is shed even before the key is looked up.
 */
@Module({ providers: [RateLimiter] })
export class LimitsModule {}
