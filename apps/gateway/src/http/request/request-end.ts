import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What is done when a request ends; `undefined` when it has ended. */
interface Ending {
  callbacks: (() => void)[] | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    ending?: Ending;
  }
}

/**
 * Notices the end of each request: its response was sent, or its connection was closed. Node 20 does not report the latter
 * for a response that waits behind another one on its connection.
 */
export function noticeEnds(fastify: FastifyInstance): void {
  const byConnection = new WeakMap<Socket, Set<Ending>>();
  fastify.server.on('connection', (socket: Socket) => {
    const endings = new Set<Ending>();
    byConnection.set(socket, endings);
    socket.once('close', () => {
      for (const ending of endings) end(ending);
    });
  });
  fastify.decorateRequest('ending');
  fastify.addHook('onRequest', (request, reply, done) => {
    const ending: Ending = { callbacks: [] };
    const endings = byConnection.get(request.raw.socket);
    request.ending = ending;
    endings?.add(ending);
    reply.raw.once('close', () => {
      endings?.delete(ending);
      end(ending);
    });
    done();
  });
}

function end(ending: Ending): void {
  const { callbacks = [] } = ending;
  ending.callbacks = undefined;
  for (const callback of callbacks) callback();
}

/** Calls `callback` once when the request ends; at once if the client has already disconnected. */
export function atEnd({ ending }: FastifyRequest, callback: () => void): void {
  if (!ending) throw new Error('The hook of noticeEnds must run before');
  if (ending.callbacks) ending.callbacks.push(callback);
  else callback();
}
