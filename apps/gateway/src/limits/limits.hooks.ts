import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { keyOf } from '../auth/auth.hooks.js';
import type { GatewayConfig } from '../gateway.config.js';
import { declaredAccess, healthPaths } from '../http/routes/access.js';
import { overloaded, tooManyInProgress } from './limits.errors.js';
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

/**
 * Responds 429 when the organisation has too many requests or uploads in progress at this gateway, so that slow requests
 * of one organisation leave room for others. A request counts from its headers on, before its body arrives.
 */
export function limitRequestsInProgress(fastify: FastifyInstance, config: GatewayConfig): void {
  const requests = new InProgress('requests', config.MAX_REQUESTS_IN_PROGRESS_PER_ORGANISATION);
  const uploads = new InProgress('uploads', config.MAX_UPLOADS_PER_ORGANISATION);
  fastify.addHook('onRequest', (request, reply, done) => {
    const organisationId = keyOf(request)?.organisationId;
    const isUpload = declaredAccess(request.routeOptions.config)?.takes !== undefined;
    try {
      if (organisationId !== undefined) (isUpload ? uploads : requests).add(organisationId, reply);
      done();
    } catch (error) {
      void reply.header('connection', 'close');
      done(error as Error);
    }
  });
}

class InProgress {
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly what: 'requests' | 'uploads',
    private readonly max: number,
  ) {}

  /** Counts the request until its response is sent or its connection is closed. @throws AppError 429 */
  add(organisationId: string, reply: FastifyReply): void {
    const count = this.counts.get(organisationId) ?? 0;
    if (count >= this.max) throw tooManyInProgress(this.what, this.max);
    this.counts.set(organisationId, count + 1);
    reply.raw.once('close', () => {
      const left = (this.counts.get(organisationId) ?? 1) - 1;
      if (left > 0) this.counts.set(organisationId, left);
      else this.counts.delete(organisationId);
    });
  }
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
