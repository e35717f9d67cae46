import type { FastifyInstance } from 'fastify';
import { tokensOfPhones } from '../http/request/take-tokens.js';
import { ExtendRouteConfig } from '../http/routes/access.js';
import { tokensOf } from './limits.hooks.js';
import type { RateLimiter } from './rate-limiter.js';

/** Counts the phone numbers in a body that was not validated yet. */
type CountPhones = (body: object) => number;

/** The requests of the route may have many phone numbers: they take more tokens of the rate limit. */
export const HasPhones = (countPhones: CountPhones): MethodDecorator => ExtendRouteConfig({ countPhones });

/**
 * Responds 429 when the limit does not cover the phone numbers of a request. The body is known, but was not validated yet:
 * a request with errors may cost as much as a valid one. What its body took already counts.
 */
export function limitPhones(fastify: FastifyInstance, limiter: RateLimiter): void {
  fastify.addHook('preValidation', (request, reply, done) => {
    const { apiKey: key, body } = request;
    const { countPhones } = request.routeOptions.config as { readonly countPhones?: CountPhones };
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
