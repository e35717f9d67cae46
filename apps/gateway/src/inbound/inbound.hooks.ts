import type { FastifyInstance } from 'fastify';
import { bodyTooLarge, encodedBody } from '../http/errors/http.errors.js';
import { isEncoded } from '../http/request/body-parser.js';
import { clientAddress } from '../http/request/client-address.js';
import { declaredAccess } from '../http/routes/access.js';
import type { KnownProvider } from './inbound-providers.js';
import { type InboundService, maxBytesOf } from './inbound.service.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The provider whose name and token are in the path, and the type of its body; absent on other routes. */
    inbound?: { readonly provider: KnownProvider; readonly contentType: string | undefined };
  }
}

/**
 * Responds 404 to a request with a wrong name, token or address, 415 to a compressed one and 413 to a large one,
 * before its body is read.
 */
export function admitProviders(fastify: FastifyInstance, service: InboundService): void {
  fastify.decorateRequest('inbound');
  fastify.addHook('onRequest', (request, reply, done) => {
    if (declaredAccess(request.routeOptions.config)?.takes !== 'raw') {
      done();
      return;
    }
    const { provider = '', token = '' } = request.params as { provider?: string; token?: string };
    const refuse = (error: unknown): void => {
      // Otherwise Node.js would read the whole body before the next request.
      void reply.header('connection', 'close');
      done(error as Error);
    };
    service.admit({ provider, token, address: clientAddress(request) }).then((known) => {
      const { headers } = request.raw;
      request.inbound = { provider: known, contentType: headers['content-type'] };
      // With a content type, Fastify would choose another parser, or refuse the request.
      delete headers['content-type'];
      if (isEncoded(headers)) refuse(encodedBody());
      else if (Number(headers['content-length'] ?? 0) > maxBytesOf(known))
        refuse(bodyTooLarge(maxBytesOf(known)));
      else done();
    }, refuse);
  });
}
