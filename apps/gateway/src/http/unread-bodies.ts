import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * If the connection ends with a response, discards what still arrives of the body, for `timeoutMs`. Node would close the
 * connection at once, and a client or proxy that is still sending could see a broken connection instead of the response.
 * A request that follows on such a connection is not executed, because its response could not be sent. So this must be the
 * first hook.
 */
export function discardUnreadBodies(fastify: FastifyInstance, timeoutMs: number): void {
  const closing = new WeakSet<object>();
  fastify.addHook('onRequest', ({ raw }, reply, done) => {
    if (closing.has(raw.socket)) reply.hijack();
    else done();
  });
  fastify.addHook('onSend', ({ raw: request }, reply, _payload, done) => {
    const isLast = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
    if (isLast && !request.complete) {
      // Node calls it when the response was written.
      request.socket.destroySoon = () => {
        closing.add(request.socket);
        closeAfterBody(request, timeoutMs);
      };
    }
    done();
  });
}

/** Reading this much costs less than a new connection. */
const maxDiscardedBytes = 256 * 1_024;

/** For a request that is refused before its body is read: to keep the connection, Node has to read the rest of the body. */
export function closeUnlessShort({ headers }: FastifyRequest, reply: FastifyReply): void {
  const isShort =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= maxDiscardedBytes;
  if (!isShort) void reply.header('connection', 'close');
}

function closeAfterBody(request: IncomingMessage, timeoutMs: number): void {
  const { socket } = request;
  const close = (): void => {
    socket.destroy();
  };
  socket.end();
  if (request.readableEnded) {
    socket.once('finish', close);
    return;
  }
  const timer = setTimeout(close, timeoutMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  // An upload whose reader has stopped leaves a listener, which would keep the rest from flowing.
  request.removeAllListeners('readable').once('end', close).resume();
}
