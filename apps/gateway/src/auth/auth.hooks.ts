import { networkMatcher } from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config.js';
import { outOfScope } from '../http/errors/http.errors.js';
import { clientNetwork } from '../http/request/client-address.js';
import { continueInContext } from '../http/request/request-context.js';
import { declaredAccess } from '../http/routes/access.js';
import type { ActiveKey } from './api-key.repository.js';
import { addressNotAllowed, keyTooNew, suspended } from './auth.errors.js';
import type { Authenticator } from './authenticator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that authenticated the request; absent on a public route. */
    apiKey?: ActiveKey;
  }
}

/** Runs `next` in the context of the request and its key. */
export function identify(request: FastifyRequest, key: ActiveKey, next: () => void): void {
  request.apiKey = key;
  continueInContext(request, { apiKeyId: key.id, organisationId: key.organisationId }, next);
}

/** Responds 401 to a request without a valid key. A route that declares no access is never reached. */
export function authenticate(fastify: FastifyInstance, authenticator: Authenticator): void {
  fastify.decorateRequest('apiKey');
  fastify.addHook('onRequest', (request, _reply, done) => {
    const access = declaredAccess(request.routeOptions.config);
    if (!access) done(new Error('This route declares no access'));
    else if (access.scope === 'public') done();
    else {
      const { rawHeaders } = request.raw;
      const accept = (key: ActiveKey): void => {
        identify(request, key, done);
      };
      const cached = authenticator.findCached(rawHeaders);
      if (cached) accept(cached);
      else authenticator.authenticate(rawHeaders, clientNetwork(request)).then(accept, done);
    }
  });
}

const matchers = new WeakMap<ActiveKey, (ip: string) => boolean>();

export function isAllowedAddress(key: ActiveKey, ip: string): boolean {
  if (key.allowedNetworks.length === 0) return true;
  const matches = matchers.get(key) ?? networkMatcher(key.allowedNetworks);
  matchers.set(key, matches);
  return matches(ip);
}

/** Responds 403 if the key may not be used from the address of the caller. Such a request takes no token of the rate limit. */
export function restrictAddresses(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { apiKey: key } = request;
    if (!key || isAllowedAddress(key, request.ip)) done();
    else done(addressNotAllowed());
  });
}

const hourMs = 3_600_000;

/** The end of the time in which a new key buys no airtime. */
const coolingEnd = ({ createdAt, airtimeKeyCoolingHours }: ActiveKey, defaultHours: number): Date =>
  new Date(createdAt.getTime() + (airtimeKeyCoolingHours ?? defaultHours) * hourMs);

/** Responds 403 if the organisation is suspended, the key lacks the scope of the route, or is too new for it. */
export function authorise(
  fastify: FastifyInstance,
  { AIRTIME_KEY_COOLING_HOURS: coolingHours }: Pick<GatewayConfig, 'AIRTIME_KEY_COOLING_HOURS'>,
): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { apiKey: key } = request;
    const scope = declaredAccess(request.routeOptions.config)?.scope;
    if (!key || scope === undefined || scope === 'public') done();
    else if (key.suspended) done(suspended());
    else if (!key.scopes.includes(scope)) done(outOfScope(scope));
    else if (scope === 'airtime:write' && coolingEnd(key, coolingHours) > new Date())
      done(keyTooNew(coolingEnd(key, coolingHours)));
    else done();
  });
}
