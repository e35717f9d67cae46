import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../gateway.config.js';
import { healthPaths } from '../http/health-paths.js';
import { overloaded } from './limits.errors.js';

/** Turns requests away, at next to no cost, while the process has more to do than it can bear. */
export function shedLoad(
  fastify: FastifyInstance,
  bounds: Pick<GatewayConfig, 'MAX_REQUESTS_IN_PROGRESS' | 'MAX_EVENT_LOOP_DELAY_MS'>,
): void {
  // The library measures. Its own hook would run after all of ours, when the key has already been looked up.
  void fastify.register(underPressure, {
    maxEventLoopDelay: bounds.MAX_EVENT_LOOP_DELAY_MS,
    pressureHandler: () => undefined,
  });
  let inProgress = 0;
  fastify.addHook('onRequest', (request, reply, done) => {
    // Whoever watches the process must hear from it all the more.
    if (healthPaths.has(request.routeOptions.url)) {
      done();
    } else if (inProgress >= bounds.MAX_REQUESTS_IN_PROGRESS || fastify.isUnderPressure()) {
      done(overloaded());
    } else {
      inProgress += 1;
      // Also when the caller has gone away.
      reply.raw.once('close', () => {
        inProgress -= 1;
      });
      done();
    }
  });
}
