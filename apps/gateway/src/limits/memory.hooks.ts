import { FairSlots, halfOfAvailable, networkMatcher } from '@gangan/protocol';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config.js';
import { clientNetwork, networkOf } from '../http/request/client-address.js';
import { atEnd } from '../http/request/request-end.js';
import { bytesOfBody } from '../http/request/take-tokens.js';
import { declaredAccess } from '../http/routes/access.js';
import { closeUnlessShort } from '../http/unread-bodies.js';
import { overloaded } from './limits.errors.js';

/** A proxy keeps connections for a minute: the gateway must not close one while a request is on its way. */
const idleMs = { fromProxies: 75_000, fromClients: 10_000 };

/** Limits the connections of the process and of each address. Proxies are exempt from the latter: all clients share theirs. */
export function limitConnections(
  { server }: FastifyInstance,
  { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS: perKey, TRUSTED_PROXIES: proxies }: GatewayConfig,
): void {
  server.maxConnections = MAX_CONNECTIONS;
  server.keepAliveTimeout = proxies === undefined ? idleMs.fromClients : idleMs.fromProxies;
  const isProxy = networkMatcher((proxies ?? '').split(',').flatMap((part) => part.trim() || []));
  const open = new FairSlots({ perKey });
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    if (open.freeFor(network) > 0) socket.once('close', open.take(network));
    else socket.destroy();
  });
}

/** The part of the bytes in progress that only providers use: slow bodies of customers must not displace reports. */
const shareOfProviders = 0.25;

/**
 * Responds 503 when the bodies of the requests in progress would take too much memory. One organisation or provider may
 * have half of what the others of its kind leave. Files are read as streams, and do not count.
 */
export function limitBytesInProgress(
  fastify: FastifyInstance,
  { MAX_BYTES_IN_PROGRESS: total }: GatewayConfig,
): void {
  const budget = (share: number) =>
    new FairSlots({ total: Math.floor(total * share), perKey: halfOfAvailable });
  const [ofProviders, ofOthers] = [budget(shareOfProviders), budget(1 - shareOfProviders)];
  fastify.addHook('onRequest', (request, reply, done) => {
    const { config, bodyLimit } = request.routeOptions;
    const isStreamed = declaredAccess(config)?.takes === 'csv';
    const count = isStreamed ? 0 : bytesOfBody(request.headers, bodyLimit);
    const bytes = request.inbound ? ofProviders : ofOthers;
    const owner = ownerOf(request);
    if (count === 0) {
      done();
    } else if (count > bytes.freeFor(owner)) {
      closeUnlessShort(request, reply);
      done(overloaded());
    } else {
      atEnd(request, bytes.take(owner, count));
      done();
    }
  });
}

const ownerOf = (request: FastifyRequest): string =>
  request.apiKey?.organisationId ?? request.inbound?.provider.name ?? clientNetwork(request);
