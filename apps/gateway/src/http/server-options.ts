import type { ServerResponse } from 'node:http';
import type { HttpServerOptions } from '@gangan/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerResponse } from './bare-answer.js';
import { answerClientError } from './client-error.js';
import { requestIdOf } from './request-id.js';

export const usualBodyLimit = 64 * 1_024;

/** What Fastify wants to know when it is made. */
export const serverOptions: HttpServerOptions = {
  bodyLimit: usualBodyLimit,
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16 * 1_024 },
  http: {
    maxHeaderSize: 16 * 1_024,
    // Node looks for slow requests only this often (every 30 s unless told).
    connectionsCheckingInterval: 500,
    // Node would answer a request without Host by itself, in its own shape; a hook does.
    requireHostHeader: false,
  },
  genReqId: (request) => requestIdOf(request.headers['x-request-id']),
  clientErrorHandler: answerClientError,
  /** A path that the router cannot even read reaches neither hooks nor filter. */
  frameworkErrors: (error, request, reply) => {
    answerResponse(reply.raw as ServerResponse, error.statusCode ?? 400, request.id);
    request.server.logAccess(request as FastifyRequest, reply as FastifyReply);
  },
};
