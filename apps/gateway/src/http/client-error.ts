import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '@gangan/protocol';
import type { FastifyInstance } from 'fastify';
import { answerSocket } from './bare-answer.js';

const statusOf: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** What the HTTP parser refuses never becomes a request. Fastify calls it as its own method. */
export function answerClientError(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
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

/** The parser may find fault with a body when its request was answered already: a second answer would pass for the next one's. */
const isAnswered = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true;
