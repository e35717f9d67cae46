import { createHash, timingSafeEqual } from 'node:crypto';
import {
  debugPrefix,
  isDebugged,
  newContext,
  newId,
  type RequestContext,
  runInContext,
} from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { defaultHeaders } from '../errors/error-response.js';

/** Characters that are safe in a log line and in a header. */
const safeId = /^[\w.:/+=@-]{1,128}$/;

type Header = string | readonly string[] | undefined;

/** The caller's `X-Request-Id` if it is safe, otherwise a new id. A caller cannot choose one that is logged at debug level. */
export const requestIdOf = (given: Header): string =>
  typeof given === 'string' && safeId.test(given) && !isDebugged(given) ? given : newId();

/** The id of a request whose `X-Debug` is the token of the operators. */
const debugIdOf = (given: Header): string => {
  const own = typeof given === 'string' ? given.replace(debugPrefix, '') : undefined;
  const id = `${debugPrefix}${requestIdOf(own)}`;
  return safeId.test(id) ? id : `${debugPrefix}${newId()}`;
};

/** @param token undefined: no request is logged at debug level */
export function requestIds(token: string | undefined) {
  const expected = token === undefined ? undefined : digestOf(token);
  return (given: Header, debug: Header): string => {
    const isOperator =
      expected !== undefined && typeof debug === 'string' && timingSafeEqual(digestOf(debug), expected);
    return isOperator ? debugIdOf(given) : requestIdOf(given);
  };
}

/** `timingSafeEqual` needs values of the same length. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

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
