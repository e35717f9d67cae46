import type { FastifyInstance } from 'fastify';
import { answerResponse, answerSocket } from './bare-answer.js';
import { requestIdOf } from './request-id.js';

/**
 * What Node would answer by itself, without a body or not at all: an unknown `Expect`, and `CONNECT`. (`Upgrade` is
 * passed over, as HTTP allows, as long as nobody listens for it: the request is answered as if it had not been there.)
 */
export function answerForNode(fastify: FastifyInstance): void {
  fastify.server.on('checkExpectation', ({ method, headers }, response) => {
    const [status, requestId] = [417, requestIdOf(headers['x-request-id'])];
    answerResponse(response, status, requestId);
    fastify.logRefusal({ requestId, status, method });
  });
  fastify.server.on('connect', ({ method, headers }, socket) => {
    const [status, requestId] = [405, requestIdOf(headers['x-request-id'])];
    socket.on('error', () => undefined);
    answerSocket(socket, status, requestId, { allow: 'GET, HEAD, POST, PATCH, DELETE' });
    fastify.logRefusal({ requestId, status, method });
  });
}
