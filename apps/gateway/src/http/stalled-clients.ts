import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** What Node attaches to a connection. */
interface Connection extends Socket {
  /** `writeQueueSize`: the part of the current write that the operating system has not taken yet. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** When the client last read something, or nothing was waiting for it. */
interface Progress {
  sent: number;
  at: number;
}

/**
 * Ends connections whose client reads nothing for `timeoutMs` while bytes wait for it: its requests would stay in
 * progress. Node's socket timeout cannot do this: bytes from the client restart it, and the wait for a response uses it
 * up.
 */
export function endStalledConnections(fastify: FastifyInstance, timeoutMs: number): void {
  const connections = new Map<Connection, Progress>();
  fastify.server.on('connection', (socket: Connection) => {
    connections.set(socket, { sent: 0, at: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, progress] of connections) {
      const sent = sentBytes(socket);
      if (socket.writableLength === 0 || sent !== progress.sent) Object.assign(progress, { sent, at: now });
      else if (now - progress.at >= timeoutMs) socket.destroy();
    }
  }, timeoutMs / 10);
  timer.unref();
  fastify.addHook('onClose', (_, done) => {
    clearInterval(timer);
    done();
  });
}

/** Changes whenever the operating system takes bytes, also within one large write, but not when more are written. */
const sentBytes = ({ bytesWritten, writableLength, _handle }: Connection): number =>
  bytesWritten - writableLength - (_handle?.writeQueueSize ?? 0);
