import { newContext, runInContext } from '@gangan/protocol';
import type { AppLogger } from '@gangan/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { givenRefusal } from './given-refusal.js';
import { healthPaths } from './health-paths.js';
import { loggablePath, loggableRefusal } from './loggable.js';
import { contextOf } from './request-context.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where no hook is run, whoever answers calls it. */
    logRefusal(refusal: BareRefusal): void;
  }
}

/** An answer to what never became a request of Fastify's. */
export interface BareRefusal {
  readonly requestId: string;
  readonly status: number;
  /** If it could be read. */
  readonly method?: string | undefined;
  /** What the HTTP parser calls it. */
  readonly reason?: string | undefined;
}

export function logRefusal(logger: AppLogger, { requestId, ...line }: BareRefusal): void {
  runInContext(newContext({ requestId }), () => {
    logger.info(line, 'request');
  });
}

/** One line per request. Where there is a route it stands for the path: paths and queries hold numbers and ids. */
export function logAccess(logger: AppLogger, request: FastifyRequest, reply: FastifyReply): void {
  const { url: route } = request.routeOptions;
  const { statusCode: status } = reply;
  const context = contextOf(request);
  const refusal = givenRefusal(request);
  const line = {
    method: request.method,
    ...(route === undefined ? { path: loggablePath(request.originalUrl) } : { route }),
    status,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(context.apiKeyId !== undefined && { apiKeyId: context.apiKeyId }),
    ...(refusal && loggableRefusal(refusal)),
    ...(status === 401 && { address: request.ip }),
  };
  runInContext(context, () => {
    if (status >= 500) logger.warn(line, 'request');
    else if (healthPaths.has(route) && status < 400) logger.debug(line, 'request');
    else logger.info(line, 'request');
  });
}
