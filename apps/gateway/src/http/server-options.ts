import type { HttpServerOptions } from '@gangan/runtime';
import { handleClientError } from './node-errors.js';
import { defaultBodyLimit } from './request/body-parser.js';
import { requestIdOf } from './request/request-context.js';
import { routableUrl } from './routes/paths.js';

const maxHeaderSize = 16 * 1_024;

export const serverOptions: HttpServerOptions = {
  bodyLimit: defaultBodyLimit,
  // An id may be as long as a path. Escaping makes each `%` three characters long.
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 3 * maxHeaderSize },
  // The router would respond to an undecodable path itself, before any hook.
  rewriteUrl: ({ url = '/' }) => routableUrl(url),
  http: {
    maxHeaderSize,
    // How often Node checks for slow requests; the default is 30 s.
    connectionsCheckingInterval: 500,
    // Node would respond in its own format; `rejectUnknownRoutes` checks Host instead.
    requireHostHeader: false,
  },
  genReqId: (request) => requestIdOf(request.headers['x-request-id']),
  clientErrorHandler: handleClientError,
};
