import type { IncomingMessage } from 'node:http';
import { TokenBucket } from '@gangan/queue';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface DiscardLimits {
  /** How long the rest of a refused body may take to arrive. */
  readonly timeoutMs: number;
  /** The rate of all refused bodies together: reading 16 MiB takes about 15 ms of processor time. */
  readonly bytesPerSecond: number;
}

/** Time for a proxy that is still sending to read the response before its connection breaks. */
const unreadMs = 500;

/**
 * If the connection ends with a response, discards what still arrives of the body. Node would close the connection at
 * once, and a client or proxy that is still sending could see a broken connection instead of the response. Beyond the limit
 * of all bodies, the rest is not read and the connection is soon closed: a flood must not slow down other requests.
 * A request that follows on such a connection is not executed, because its response could not be sent. So this must be the
 * first hook.
 */
export function discardUnreadBodies(
  fastify: FastifyInstance,
  { timeoutMs, bytesPerSecond }: DiscardLimits,
): void {
  const closing = new WeakSet<object>();
  const bucket = new TokenBucket();
  const limit = { perSecond: bytesPerSecond, burst: bytesPerSecond };
  const mayDiscard = (bytes: number): boolean => bucket.take(bytes, limit, performance.now()) === bytes;
  fastify.addHook('onRequest', ({ raw }, reply, done) => {
    if (closing.has(raw.socket)) reply.hijack();
    else done();
  });
  fastify.addHook('onSend', ({ raw: request }, reply, _payload, done) => {
    const isLast = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
    if (isLast && !request.complete) {
      const isOver = discardUpTo(request, mayDiscard);
      // Node calls it when the response was written.
      request.socket.destroySoon = () => {
        closing.add(request.socket);
        closeAfterBody(request, isOver, timeoutMs);
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

/** Resolves when no more of the body may be discarded. A body without a listener would be discarded by Node, uncounted. */
const discardUpTo = (request: IncomingMessage, mayDiscard: (bytes: number) => boolean): Promise<void> =>
  new Promise((resolve) => {
    request.on('data', ({ length }: Buffer) => {
      if (mayDiscard(length)) return;
      request.pause();
      resolve();
    });
  });

function closeAfterBody(request: IncomingMessage, isOver: Promise<void>, timeoutMs: number): void {
  const { socket } = request;
  const close = (): void => {
    socket.destroy();
  };
  socket.end();
  if (request.readableEnded) {
    socket.once('finish', close);
    return;
  }
  let timer = setTimeout(close, timeoutMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  void isOver.then(() => {
    clearTimeout(timer);
    timer = setTimeout(close, Math.min(unreadMs, timeoutMs));
  });
  // An upload whose reader has stopped leaves a listener, which would keep the rest from flowing.
  request.removeAllListeners('readable').once('end', close).resume();
}
