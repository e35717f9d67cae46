import underPressure from '@fastify/under-pressure';
import { type AppError, FairSlots } from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config.js';
import { servesFixedDocument } from '../http/fixed-document.js';
import { clientNetwork } from '../http/request/client-address.js';
import { atEnd } from '../http/request/request-end.js';
import { declaredAccess, healthPaths } from '../http/routes/access.js';
import { closeUnlessShort } from '../http/unread-bodies.js';
import { overloaded, tooManyFromAddress, tooManyInProgress } from './limits.errors.js';
import type { RateLimiter } from './rate-limiter.js';
import { tokensOfBody } from '../http/request/take-tokens.js';

/** The share of the limits above which only requests from known callers are accepted. */
const reservedShare = 0.5;

/**
 * Responds 503 while too many requests are in progress or the event loop lags: first to requests that are not from known
 * callers, so that a flood of them does not displace customers. Health checks always pass.
 */
export function shedLoad(
  fastify: FastifyInstance,
  { MAX_REQUESTS_IN_PROGRESS: maxInProgress, MAX_EVENT_LOOP_DELAY_MS: maxDelayMs }: GatewayConfig,
  isKnownCaller: (request: FastifyRequest) => boolean,
): void {
  // The plugin only measures. Its own hook would run after ours, when the key has been looked up.
  void fastify.register(underPressure, { maxEventLoopDelay: maxDelayMs, pressureHandler: () => undefined });
  let inProgress = 0;
  /** The share of the limits that is used. */
  const load = (): number => {
    const ofDelay = maxDelayMs === 0 ? 0 : fastify.memoryUsage().eventLoopDelay / maxDelayMs;
    return Math.max(inProgress / maxInProgress, ofDelay);
  };
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (healthPaths.has(request.routeOptions.url)) {
      done();
      return;
    }
    const share = load();
    if (share >= 1 || (share >= reservedShare && !isKnownCaller(request))) {
      done(overloaded());
    } else {
      inProgress += 1;
      atEnd(request, () => {
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
  const { MAX_REQUESTS_IN_PROGRESS_PER_ORGANISATION: maxRequests, MAX_UPLOADS_PER_ORGANISATION: maxUploads } =
    config;
  const requests = {
    what: 'requests',
    max: maxRequests,
    slots: new FairSlots({ perKey: maxRequests }),
  } as const;
  const uploads = { what: 'uploads', max: maxUploads, slots: new FairSlots({ perKey: maxUploads }) } as const;
  fastify.addHook('onRequest', (request, reply, done) => {
    const organisationId = request.apiKey?.organisationId;
    const isUpload = declaredAccess(request.routeOptions.config)?.takes !== undefined;
    const { what, max, slots } = isUpload ? uploads : requests;
    if (organisationId === undefined) {
      done();
    } else if (slots.freeFor(organisationId) === 0) {
      closeUnlessShort(request, reply);
      done(tooManyInProgress(what, max));
    } else {
      atEnd(request, slots.take(organisationId));
      done();
    }
  });
}

/** More than the browsers behind one address need: a page has a few requests, and each takes milliseconds. */
const maxPublicRequestsPerAddress = 100;
/** Documents are large, so fewer are sent at a time. */
const maxDocumentsPerAddress = 8;

/** Responds 429 when a client address has too many requests to public routes in progress. Reports of providers have other limits. */
export function limitPublicRequests(fastify: FastifyInstance): void {
  const limited = (perKey: number) => ({ max: perKey, slots: new FairSlots({ perKey }) });
  const [pages, documents] = [limited(maxPublicRequestsPerAddress), limited(maxDocumentsPerAddress)];
  fastify.addHook('onRequest', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    const { scope, takes } = declaredAccess(config) ?? {};
    if (scope !== 'public' || takes === 'raw' || healthPaths.has(url)) {
      done();
      return;
    }
    const address = clientNetwork(request);
    const { max, slots } = servesFixedDocument(config) ? documents : pages;
    if (slots.freeFor(address) === 0) {
      void reply.header('connection', 'close');
      done(tooManyFromAddress(max));
    } else {
      atEnd(request, slots.take(address));
      done();
    }
  });
}

/** What a request takes before its body is read. Uploads have other limits. */
export function tokensOf({ headers, routeOptions: { bodyLimit, config } }: FastifyRequest): number {
  return declaredAccess(config)?.takes === undefined ? tokensOfBody(headers, bodyLimit) : 1;
}

/** Responds 429 when the organisation or the key has used up its limit. */
export function limitRate(fastify: FastifyInstance, limiter: RateLimiter): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { apiKey: key } = request;
    if (!key) {
      done();
      return;
    }
    const respond = (error: AppError | undefined): void => {
      if (error) closeUnlessShort(request, reply);
      done(error);
    };
    const error = limiter.admit(key, reply, tokensOf(request));
    if (error instanceof Promise) error.then(respond, done);
    else respond(error);
  });
}
