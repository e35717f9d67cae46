import { FairSlots } from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyTooLarge, encodedBody } from '../http/errors/http.errors.js';
import { isEncoded } from '../http/request/body-parser.js';
import { clientAddress } from '../http/request/client-address.js';
import { atEnd } from '../http/request/request-end.js';
import { declaredAccess } from '../http/routes/access.js';
import { tokensOfBody } from '../http/request/take-tokens.js';
import type { KnownProvider } from './inbound-providers.js';
import { type InboundService, maxBytesOf } from './inbound.service.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The provider whose name and token are in the path, and the type of its body; absent on other routes. */
    inbound?: { readonly provider: KnownProvider; readonly contentType: string | undefined };
  }
}

type PathValues = Readonly<Record<'provider' | 'token' | 'reference', string>>;

/** The most requests of one provider in progress at one gateway; `MAX_BYTES_IN_PROGRESS` limits their size. */
const maxInProgress = 200;

/**
 * Responds 404 to a request with a wrong name, token or address, 415 to a compressed one, 413 to a large one, and 429 if the
 * provider has too many requests in progress or has used up its limit, before the body is read.
 */
export function admitProviders(fastify: FastifyInstance, service: InboundService): void {
  const slots = new FairSlots({ perKey: maxInProgress });
  fastify.decorateRequest('inbound');
  const admit = async (request: FastifyRequest): Promise<void> => {
    const { provider = '', token = '', reference } = request.params as Partial<PathValues>;
    const known = await service.admit({ provider, token, reference, address: clientAddress(request) });
    const { headers } = request.raw;
    request.inbound = { provider: known, contentType: headers['content-type'] };
    // With a content type, Fastify would choose another parser, or refuse the request.
    delete headers['content-type'];
    const maxBytes = maxBytesOf(known);
    if (isEncoded(headers)) throw encodedBody();
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    if (slots.freeFor(known.name) === 0) throw service.refuseInProgress(known, maxInProgress);
    atEnd(request, slots.take(known.name));
    await service.takeTokens(known, tokensOfBody(headers, maxBytes));
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    if (declaredAccess(request.routeOptions.config)?.takes !== 'raw') {
      done();
      return;
    }
    admit(request).then(
      () => {
        done();
      },
      (error: unknown) => {
        // Otherwise Node.js would read the whole body before the next request.
        void reply.header('connection', 'close');
        done(error as Error);
      },
    );
  });
}
