import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { keyOf } from '../auth/auth.hooks.js';
import type { GatewayConfig } from '../gateway.config.js';
import { healthPaths } from '../http/routes/access.js';
import { overloaded } from './limits.errors.js';
import type { RateLimiter } from './rate-limiter.js';

/** Responds 503 while too many requests are in progress or the event loop lags. Health checks always pass. */
export function shedLoad(fastify: FastifyInstance, config: GatewayConfig): void {
  // The plugin only measures. Its own hook would run after ours, when the key has been looked up.
  void fastify.register(underPressure, {
    maxEventLoopDelay: config.MAX_EVENT_LOOP_DELAY_MS,
    pressureHandler: () => undefined,
  });
  let inProgress = 0;
  fastify.addHook('onRequest', (request, reply, done) => {
    if (healthPaths.has(request.routeOptions.url)) {
      done();
    } else if (inProgress >= config.MAX_REQUESTS_IN_PROGRESS || fastify.isUnderPressure()) {
      done(overloaded());
    } else {
      inProgress += 1;
      // `close` also fires when the caller disconnects.
      reply.raw.once('close', () => {
        inProgress -= 1;
      });
      done();
    }
  });
}

/** Responds 429 when the organisation or the key has used up its limit. */
export function limitRate(fastify: FastifyInstance, limiter: RateLimiter): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const key = keyOf(request);
    if (!key) {
      done();
      return;
    }
    limiter.admit(key, reply).then(() => {
      done();
    }, done);
  });
}
