import type { Socket } from 'node:net';
import { newId } from '@gangan/protocol';
import { answerSocket } from './bare-answer.js';

const statusOf: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** What the HTTP parser refuses never becomes a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerSocket(socket, statusOf[error.code ?? ''] ?? 400, newId());
  socket.destroySoon();
}
