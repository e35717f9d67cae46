import { Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/** `limits.hooks.ts` limits rate and load in Fastify hooks: the body of a rejected request must not be read. */
@Module({ providers: [RateLimiter] })
export class LimitsModule {}
