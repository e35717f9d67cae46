import type { HttpServerOptions } from '@gangan/runtime';
import { answerClientError } from './client-error.js';
import { requestIdOf } from './request-id.js';
import { usableUrl } from './usable-url.js';

export const usualBodyLimit = 64 * 1_024;
const headersLimit = 16 * 1_024;

/** What Fastify wants to know when it is made. */
export const serverOptions: HttpServerOptions = {
  bodyLimit: usualBodyLimit,
  // An id may be as long as a path can be. One that is taken as it stands has three characters for each `%`.
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 3 * headersLimit },
  // The router would answer a path that it cannot read by itself, before any hook.
  rewriteUrl: ({ url = '/' }) => usableUrl(url),
  http: {
    maxHeaderSize: headersLimit,
    // Node looks for slow requests only this often (every 30 s unless told).
    connectionsCheckingInterval: 500,
    // Node would answer a request without Host by itself, in its own shape; a hook does.
    requireHostHeader: false,
  },
  genReqId: (request) => requestIdOf(request.headers['x-request-id']),
  clientErrorHandler: answerClientError,
};
