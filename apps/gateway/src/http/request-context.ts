import { newContext, type RequestContext, runInContext } from '@gangan/protocol';
import type { FastifyRequest } from 'fastify';

const contexts = new WeakMap<FastifyRequest, RequestContext>();

export const contextOf = (request: FastifyRequest): RequestContext =>
  contexts.get(request) ?? newContext({ requestId: request.id });

/** Adds what has become known about the request; `next`, and all that follows from it, finds it as the current context. */
export function continueIn(request: FastifyRequest, known: Partial<RequestContext>, next: () => void): void {
  const context = { ...contextOf(request), ...known };
  contexts.set(request, context);
  runInContext(context, next);
}
