import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * After a response with `Connection: close`, discards what still arrives of the body, for `timeoutMs`. Node would close
 * the connection at once, and a client or proxy that is still sending could see a broken connection instead of the response.
 */
export function discardUnreadBodies(fastify: FastifyInstance, timeoutMs: number): void {
  fastify.addHook('onSend', ({ raw: request }, reply, _payload, done) => {
    if (reply.getHeader('connection') === 'close' && !request.complete) {
      // Node calls it when the response was written.
      request.socket.destroySoon = () => {
        closeAfterBody(request, timeoutMs);
      };
    }
    done();
  });
}

function closeAfterBody(request: IncomingMessage, timeoutMs: number): void {
  const { socket } = request;
  const close = (): void => {
    socket.destroy();
  };
  socket.end();
  const timer = setTimeout(close, timeoutMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  request.once('end', close).resume();
}
