import type { FastifyInstance } from 'fastify';
import { declaredPhones } from '../http/request/has-phones.js';
import { tokensOfPhones } from '../http/request/take-tokens.js';
import { tokensOf } from './limits.hooks.js';
import type { RateLimiter } from './rate-limiter.js';

/**
 * Responds 429 when the limit does not cover the phone numbers of a request. The body is known, but was not validated yet:
 * a request with errors may cost as much as a valid one. What its body took already counts.
 */
export function limitPhones(fastify: FastifyInstance, limiter: RateLimiter): void {
  fastify.addHook('preValidation', (request, reply, done) => {
    const { apiKey: key, body } = request;
    const countPhones = declaredPhones(request.routeOptions.config);
    if (!key || !countPhones || typeof body !== 'object' || body === null) {
      done();
      return;
    }
    const before = tokensOf(request);
    const tokens = tokensOfPhones(countPhones(body));
    if (tokens <= before) {
      done();
      return;
    }
    const error = limiter.admit(key, reply, tokens, before);
    if (error instanceof Promise) error.then(done, done);
    else done(error);
  });
}
