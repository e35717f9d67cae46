import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '@gangan/protocol';
import type { FastifyInstance } from 'fastify';
import { answerSocket } from './bare-answer.js';

const statusOf: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** What Node keeps with a connection. */
interface Connection extends Socket {
  /** Of the requests that have no answer yet, that of the first. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/** What the HTTP parser refuses never becomes a request. Fastify calls it as its own method. */
export function answerClientError(
  this: FastifyInstance,
  error: NodeJS.ErrnoException,
  socket: Connection,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { _httpMessage: answer } = socket;
  if (answer?.req.complete) {
    closeAfter(answer, socket);
    return;
  }
  if (isAnswered(socket)) {
    socket.destroySoon();
    return;
  }
  const [status, requestId] = [statusOf[error.code ?? ''] ?? 400, newId()];
  answerSocket(socket, status, requestId);
  socket.destroySoon();
  this.logRefusal({ requestId, status, reason: error.code });
}

/**
 * The parser has found fault with what follows a request that is still being carried out. Whatever is said now would
 * pass for the answer to that one. (Without keep-alive Node closes the connection by itself.)
 */
function closeAfter(answer: ServerResponse, socket: Socket): void {
  if (!answer.shouldKeepAlive) return;
  answer.shouldKeepAlive = false;
  answer.once('finish', () => {
    socket.destroySoon();
  });
}

/** The parser may find fault with a body when its request was answered already: a second answer would pass for the next one's. */
const isAnswered = ({ _httpMessage: answer, parser }: Connection): boolean =>
  answer ? answer.headersSent : parser?.incoming?.complete === false;
