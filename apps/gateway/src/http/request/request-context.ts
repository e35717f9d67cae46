import { newContext, newId, type RequestContext, runInContext } from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { defaultHeaders } from '../errors/error-response.js';

/** Characters that are safe in a log line and in a header. */
const safeId = /^[\w.:/+=@-]{1,128}$/;

/** The caller's `X-Request-Id` if it is safe, otherwise a new id. */
export const requestIdOf = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && safeId.test(given) ? given : newId();

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent before the first hook; use `contextOf`. */
    requestContext?: RequestContext;
  }
}

export const contextOf = (request: FastifyRequest): RequestContext =>
  request.requestContext ?? newContext({ requestId: request.id });

/** Extends the context of the request and runs `next` in it. */
export function continueInContext(
  request: FastifyRequest,
  addition: Partial<RequestContext>,
  next: () => void,
): void {
  enterContext(request, { ...contextOf(request), ...addition }, next);
}

function enterContext(request: FastifyRequest, context: RequestContext, next: () => void): void {
  request.requestContext = context;
  runInContext(context, next);
}

/** Every later hook and the controller run in the context of the request. */
export function startContext(fastify: FastifyInstance): void {
  fastify.decorateRequest('requestContext');
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(defaultHeaders(request.id));
    enterContext(request, newContext({ requestId: request.id }), done);
  });
}
