import type { FastifyInstance } from 'fastify';
import { clientAddress } from '../http/request/client-address.js';
import { declaredAccess } from '../http/routes/access.js';
import type { KnownProvider } from './inbound-providers.js';
import type { InboundService } from './inbound.service.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The provider whose name and token are in the path; absent on other routes. */
    inboundProvider?: KnownProvider;
  }
}

/** Responds 404 to a request with a wrong name, token or address. Only a signature needs the body. */
export function admitProviders(fastify: FastifyInstance, inbound: InboundService): void {
  fastify.decorateRequest('inboundProvider');
  fastify.addHook('onRequest', (request, reply, done) => {
    if (declaredAccess(request.routeOptions.config)?.takes !== 'raw') {
      done();
      return;
    }
    const { provider = '', token = '' } = request.params as { provider?: string; token?: string };
    inbound.admit({ provider, token, address: clientAddress(request) }).then(
      (known) => {
        request.inboundProvider = known;
        done();
      },
      (error: unknown) => {
        // Otherwise the whole body would have to be read before the next request.
        void reply.header('connection', 'close');
        done(error as Error);
      },
    );
  });
}
