import type { IncomingHttpHeaders } from 'node:http';
import type { HttpServerOptions } from '@gangan/runtime';
import type { GatewayConfig } from '../gateway.config.js';
import { handleClientError } from './node-errors.js';
import { defaultBodyLimit } from './request/body-parser.js';
import { requestIds } from './request/request-context.js';
import { routableUrl } from './routes/paths.js';

const maxHeaderSize = 16 * 1_024;

export const serverOptions = ({
  TRUSTED_PROXIES,
  DEBUG_TOKEN,
}: Pick<GatewayConfig, 'TRUSTED_PROXIES' | 'DEBUG_TOKEN'>): HttpServerOptions => ({
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
  // `request.ip` is the last address in X-Forwarded-For that is not one of these; without any, the address of the peer.
  trustProxy: TRUSTED_PROXIES ?? false,
  genReqId: idOfRequest(DEBUG_TOKEN),
  clientErrorHandler: handleClientError,
});

function idOfRequest(debugToken: string | undefined) {
  const idOf = requestIds(debugToken);
  return ({ headers }: { readonly headers: IncomingHttpHeaders }): string =>
    idOf(headers['x-request-id'], headers['x-debug']);
}
