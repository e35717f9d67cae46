import type {
  FastifyInstance,
  FastifyReply,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';
import type { ErrorBody } from '../http/errors/error-response.js';
import { helpLinks } from '../http/errors/help-links.js';
import { continueInContext } from '../http/request/request-context.js';
import { faultsOf } from '../http/request/json-faults.js';
import { declaredAccess } from '../http/routes/access.js';
import type { StoredResponse } from './claim.repository.js';
import type { IdempotencyService } from './idempotency.service.js';

const methods = new Set(['POST', 'PATCH']);

/** Every POST and PATCH that requires an API key supports `Idempotency-Key`, unless its route is declared `isRead`. */
export function addIdempotency(fastify: FastifyInstance, idempotency: IdempotencyService): void {
  const before: preHandlerHookHandler = (request, reply, done) => {
    if (request.headers['idempotency-key'] === undefined || faultsOf(request).length > 0) {
      done();
      return;
    }
    idempotency.begin(request).then((begun) => {
      if (!begun) done();
      else if ('operationId' in begun) continueInContext(request, { operationId: begun.operationId }, done);
      else replay(reply, begun);
    }, done);
  };
  const after: onSendHookHandler = (request, reply, payload, done) => {
    if (!idempotency.hasClaim(request)) {
      done(null, payload);
      return;
    }
    void idempotency.end(request, responseOf(reply, payload)).then((leaseLeftMs) => {
      if (leaseLeftMs > 0) void reply.header('retry-after', Math.ceil(leaseLeftMs / 1_000));
      done(null, payload);
    });
  };
  fastify.addHook('onRoute', (route) => {
    if (!isIdempotent(route)) return;
    route.preHandler = [...[route.preHandler ?? []].flat(), before];
    route.onSend = [...[route.onSend ?? []].flat(), after];
  });
}

function isIdempotent({ method, config }: RouteOptions): boolean {
  const access = declaredAccess(config);
  return (
    [method].flat().some((name) => methods.has(name)) && access?.scope !== 'public' && access?.isRead !== true
  );
}

function replay(reply: FastifyReply, { status, type, body }: StoredResponse): void {
  void reply.status(status).header('idempotent-replayed', 'true');
  if (type !== undefined) void reply.type(type);
  if (status >= 400) {
    const { errors } = JSON.parse(body.toString()) as ErrorBody;
    void reply.header('link', helpLinks(status, errors, reply.request.server.publicPath));
  }
  void reply.send(body.length > 0 || type !== undefined ? body : undefined);
}

/**
 * A response may be as large as the body that the route accepts, because the rate limit counts the bytes of bodies. Some
 * routes respond with far more than they accept: a row of contacts may have megabytes.
 * @returns undefined for a stream, which can be read only once
 */
function responseOf(reply: FastifyReply, payload: unknown): StoredResponse | undefined {
  const body = bytesOf(payload);
  const type = reply.getHeader('content-type');
  if (!body) return undefined;
  const { bodyLimit, config } = reply.request.routeOptions;
  return {
    status: reply.statusCode,
    type: typeof type === 'string' ? type : undefined,
    body,
    isTooLarge: body.length > bodyLimit,
    isSecret: declaredAccess(config)?.returnsSecret ?? false,
  };
}

function bytesOf(payload: unknown): Buffer | undefined {
  if (payload === undefined || payload === null) return Buffer.alloc(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  return payload instanceof Uint8Array ? Buffer.from(payload) : undefined;
}
