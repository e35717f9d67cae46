import { ContractSettings } from '@gangan/contracts';
import { AppLogger, Registry, RuntimeConfig } from '@gangan/runtime';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, authorise, identify, isAllowedAddress, restrictAddresses } from './auth/auth.hooks.js';
import { Authenticator } from './auth/authenticator.js';
import { GatewayConfig } from './gateway.config.js';
import { compressResponses } from './http/compress-responses.js';
import { logRequests } from './http/log/access-log.js';
import { measureRequests } from './http/metrics/http-metrics.js';
import { respondToNodeRejections } from './http/node-errors.js';
import { registerBodyParsers } from './http/request/body-parser.js';
import { clientNetwork } from './http/request/client-address.js';
import { validateInputs } from './http/request/inputs.hooks.js';
import { noticeEnds } from './http/request/request-end.js';
import { startContext } from './http/request/request-context.js';
import { refuseUnexpectedBodies } from './http/request/unexpected-body.js';
import { declaredAccess } from './http/routes/access.js';
import { rejectUnknownRoutes } from './http/routes/http-routes.js';
import { endStalledConnections } from './http/stalled-clients.js';
import { discardUnreadBodies } from './http/unread-bodies.js';
import { addIdempotency } from './idempotency/idempotency.hooks.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { admitProviders } from './inbound/inbound.hooks.js';
import { InboundProviders } from './inbound/inbound-providers.js';
import { InboundService } from './inbound/inbound.service.js';
import { limitPublicRequests, limitRate, limitRequestsInProgress, shedLoad } from './limits/limits.hooks.js';
import { limitBytesInProgress, limitConnections } from './limits/memory.hooks.js';
import { limitPhones } from './limits/phones.hooks.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { ResponseTally } from './storage/response-tally.js';

interface HttpOptions {
  /** The connection is closed if the client stops reading for this long. */
  readonly stallTimeoutMs?: number;
  /** How long the rest of a refused body may take to arrive, and the rate of all of them together. */
  readonly bodyTimeoutMs?: number;
  readonly discardedBytesPerSecond?: number;
  /** The interval over which the rate of an upload is measured. Long enough for a mobile connection that stalls for some seconds. */
  readonly uploadRateIntervalMs?: number;
  /** How many refused requests of one address and status are logged in 10 s. */
  readonly maxRepeatedLines?: number;
}

/**
 * The pipeline of a request, in order. Each step is a Fastify hook rather than a Nest guard or interceptor, because it
 * runs before the body is read, needs the bytes of the response, or must cost little. Errors are Nest's: see http.module.ts.
 */
export async function configureHttp(
  app: NestFastifyApplication,
  {
    stallTimeoutMs = 30_000,
    bodyTimeoutMs = 5_000,
    discardedBytesPerSecond = 16 * 1_024 * 1_024,
    uploadRateIntervalMs = 10_000,
    maxRepeatedLines,
  }: HttpOptions = {},
): Promise<void> {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const config = app.get(GatewayConfig);
  fastify.server.headersTimeout = config.REQUEST_TIMEOUT_MS; // 408
  fastify.server.requestTimeout = config.REQUEST_TIMEOUT_MS;
  fastify.decorate('publicPath', new URL(app.get(RuntimeConfig).PUBLIC_URL).pathname.replace(/\/$/, ''));
  limitConnections(fastify, config);
  endStalledConnections(fastify, stallTimeoutMs);
  respondToNodeRejections(fastify); // 405, 417
  discardUnreadBodies(fastify, { timeoutMs: bodyTimeoutMs, bytesPerSecond: discardedBytesPerSecond });
  // onRequest, before the body is read
  noticeEnds(fastify);
  startContext(fastify);
  const tally = app.get(ResponseTally);
  measureRequests(fastify, app.get(Registry), (organisationId) => {
    tally.countRequest(organisationId);
  });
  const authenticator = app.get(Authenticator);
  const limiter = app.get(RateLimiter);
  shedLoad(fastify, config, knownCallers(authenticator, app.get(InboundProviders))); // 503
  rejectUnknownRoutes(fastify, mayGetSuggestions(authenticator, limiter)); // 404, 405
  refuseUnexpectedBodies(fastify); // 400
  authenticate(fastify, authenticator); // 401
  restrictAddresses(fastify); // 403
  limitRate(fastify, limiter); // 429
  authorise(fastify, config); // 403
  limitRequestsInProgress(fastify, config); // 429
  limitPublicRequests(fastify); // 429
  admitProviders(fastify, app.get(InboundService)); // 404, 503
  limitBytesInProgress(fastify, config); // 503
  // preParsing and the parsers
  registerBodyParsers(app, {
    maxBytes: config.CONTACT_IMPORT_MAX_BYTES,
    idleTimeoutMs: config.REQUEST_TIMEOUT_MS,
    totalTimeoutMs: config.CONTACT_IMPORT_TIMEOUT_MS,
    minBytesPerSecond: config.CONTACT_IMPORT_MIN_BYTES_PER_SECOND,
    rateIntervalMs: uploadRateIntervalMs,
  }); // 400, 408, 413, 415
  // preValidation
  limitPhones(fastify, limiter); // 429
  // preHandler and onSend, around the controller
  addIdempotency(fastify, app.get(IdempotencyService)); // 409, 422
  const callbackRules = { requiresHttps: app.get(RuntimeConfig).isProduction };
  validateInputs(fastify, app.get(ContractSettings), callbackRules); // 400
  await compressResponses(fastify);
  // onResponse
  logRequests(fastify, app.get(AppLogger), maxRepeatedLines);
}

/** Requests with a known key, or one that may be looked up now, people who open a link, and providers, which may not repeat a report. */
const knownCallers =
  (authenticator: Authenticator, providers: InboundProviders) =>
  (request: FastifyRequest): boolean => {
    const {
      raw: { rawHeaders },
      params,
      routeOptions: { url = '', config },
    } = request;
    if (url.startsWith('/l/')) return true;
    const { provider, token } = params as { provider?: string; token?: string };
    if (url.startsWith('/in/')) return providers.isKnown(provider ?? '', token ?? '');
    if (authenticator.isKnown(rawHeaders)) return true;
    const { scope = 'public' } = declaredAccess(config) ?? {};
    return scope !== 'public' && authenticator.mayLookUp(rawHeaders, clientNetwork(request));
  };

/** A request to an unknown path counts as one of its organisation. It gets a suggestion only if a token is left, because a suggestion takes time. */
const mayGetSuggestions =
  (authenticator: Authenticator, limiter: RateLimiter) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const key = await authenticator.authenticate(request.raw.rawHeaders, clientNetwork(request));
    identify(request, key, () => undefined);
    return isAllowedAddress(key, request.ip) && (await limiter.admit(key, reply)) === undefined;
  };
