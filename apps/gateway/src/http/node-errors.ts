import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '@gangan/protocol';
import type { FastifyInstance } from 'fastify';
import { errorResponse } from './errors/error-response.js';
import { errorForStatus } from './errors/http.errors.js';
import { requestIdOf } from './request/request-context.js';
import { isUploading } from './request/uploaded-file.js';

/** Requests that Node rejects before Fastify sees them get the same error body as all others. */

/** What Node attaches to a connection. */
interface Connection extends Socket {
  /** The response of the first request that has none yet. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

type Headers = Readonly<Record<string, string>>;

const statusOf: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Responds to an unknown `Expect` and to `CONNECT`. `Upgrade` is ignored, as HTTP allows: the request runs without it. */
export function respondToNodeRejections(fastify: FastifyInstance): void {
  fastify.server.on(
    'checkExpectation',
    ({ method, headers, socket: { remoteAddress: address } }, response) => {
      const [status, requestId] = [417, requestIdOf(headers['x-request-id'])];
      const { body, headers: responseHeaders } = rawResponse(fastify, status, requestId);
      response.writeHead(status, responseHeaders).end(body);
      fastify.logRejection({ requestId, status, address, method });
      fastify.countRejection(method, status);
    },
  );
  fastify.server.on('connect', ({ method, headers, socket: { remoteAddress: address } }, socket) => {
    const [status, requestId] = [405, requestIdOf(headers['x-request-id'])];
    socket.on('error', () => undefined);
    writeResponse(fastify, socket, status, requestId, { allow: 'GET, HEAD, POST, PATCH, DELETE' });
    fastify.logRejection({ requestId, status, address, method });
    fastify.countRejection(method, status);
  });
}

/** Fastify's `clientErrorHandler`, for what the HTTP parser rejects. */
export function handleClientError(
  this: FastifyInstance,
  error: NodeJS.ErrnoException,
  socket: Connection,
): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  // Nothing has arrived: a response would belong to no request.
  const isIdle = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || isIdle) {
    socket.destroy();
    return;
  }
  const { _httpMessage: response } = socket;
  if (response?.req.complete) {
    closeAfter(response, socket);
    return;
  }
  if (isAnswered(socket)) {
    socket.destroySoon();
    return;
  }
  const [status, requestId] = [statusOf[error.code ?? ''] ?? 400, newId()];
  const { remoteAddress: address } = socket;
  writeResponse(this, socket, status, requestId);
  socket.destroySoon();
  this.logRejection({ requestId, status, address, reason: error.code });
  this.countRejection(undefined, status);
}

/**
 * The invalid bytes follow a complete request that is still in progress. Anything written now would be taken for its
 * response, so the connection is closed after it. Without keep-alive Node closes it anyway.
 */
function closeAfter(response: ServerResponse, socket: Socket): void {
  if (!response.shouldKeepAlive) return;
  response.shouldKeepAlive = false;
  response.once('finish', () => {
    socket.destroySoon();
  });
}

/** If a body turns out invalid after its request was answered, a second response would be taken for the next request's. */
const isAnswered = ({ _httpMessage: response, parser }: Connection): boolean =>
  response ? response.headersSent : parser?.incoming?.complete === false;

function rawResponse({ publicPath }: FastifyInstance, status: number, requestId: string) {
  const response = errorResponse(errorForStatus(status), requestId, publicPath);
  const body = JSON.stringify(response.body);
  const headers = {
    ...response.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { body, headers };
}

function writeResponse(
  fastify: FastifyInstance,
  socket: Duplex,
  status: number,
  requestId: string,
  extraHeaders: Headers = {},
): void {
  const { body, headers } = rawResponse(fastify, status, requestId);
  const lines = Object.entries({ ...headers, ...extraHeaders }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
