import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest } from '../errors/http.errors.js';
import { declaredAccess } from '../routes/access.js';

/** Responds 400 to a body of a GET on a public route. A slow body would keep the request in progress. */
export function refuseUnexpectedBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!takesNoBody(request) || !announcesBody(request)) {
      done();
      return;
    }
    // To keep the connection, the gateway would have to read the body.
    void reply.header('connection', 'close');
    done(badRequest('This path takes no body; send the request without one'));
  });
}

const takesNoBody = ({ method, routeOptions: { config } }: FastifyRequest): boolean => {
  const { scope, takes } = declaredAccess(config) ?? {};
  return scope === 'public' && takes === undefined && (method === 'GET' || method === 'HEAD');
};

const announcesBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
