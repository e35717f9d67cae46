import { Counter, Gauge, Histogram, type Registry } from '@gangan/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { returnedError } from '../errors/error-response.js';
import { errorForStatus } from '../errors/http.errors.js';
import { atEnd } from '../request/request-end.js';
import { OrganisationCounter } from './organisation-counter.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request that Node rejected: no hook runs for it. */
    countRejection(method: string | undefined, status: number): void;
  }
}

/** The route of requests that match none: their paths would be labels without a limit. */
const noRoute = 'unknown';
/** Node accepts dozens of other methods, and none of them has a route. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The status of a request whose client disconnected before the response, as in nginx. */
const disconnected = 499;
/** The longest deadline of a request is 20 s; only uploads take longer. */
const buckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

/**
 * Measures every request from its headers until its response is sent or its client disconnects.
 * @param count called for each request of an organisation
 */
export function measureRequests(
  fastify: FastifyInstance,
  registry: Registry,
  count: (organisationId: string) => void,
): void {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'gangan_http_request_seconds',
    help: 'Time from the headers of a request to the end of its response; status 499: the client disconnected before the response',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const refusals = new Counter({
    name: 'gangan_http_refusals_total',
    help: 'Requests that were answered with an error, by its type',
    labelNames: ['type'],
    registers,
  });
  let open = 0;
  const gauge = new Gauge({
    name: 'gangan_http_open_requests',
    help: 'Requests without a complete response',
    registers,
    collect: () => {
      gauge.set(open);
    },
  });
  const organisations = new OrganisationCounter(registry);

  const finish = (request: FastifyRequest, reply: FastifyReply): void => {
    open -= 1;
    const status = reply.raw.headersSent ? reply.raw.statusCode : disconnected;
    const route = request.routeOptions.url ?? noRoute;
    seconds.observe({ method: methodOf(request.method), route, status }, reply.elapsedTime / 1_000);
    const error = returnedError(request);
    if (error) refusals.inc({ type: error.code });
    const organisation = request.requestContext?.organisationId;
    if (organisation === undefined) return;
    organisations.add(organisation, status);
    count(organisation);
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    open += 1;
    // Unlike `onResponse`, this also runs when the client disconnects.
    atEnd(request, () => {
      finish(request, reply);
    });
    done();
  });
  fastify.decorate('countRejection', (method: string | undefined, status: number) => {
    seconds.observe({ method: methodOf(method), route: noRoute, status }, 0);
    refusals.inc({ type: errorForStatus(status).code });
  });
}

const methodOf = (method: string | undefined): string =>
  method !== undefined && methods.has(method) ? method : 'other';
