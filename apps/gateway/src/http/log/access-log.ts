import { type AppError, newContext, runInContext } from '@gangan/protocol';
import { type AppLogger, maskPhone } from '@gangan/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { returnedError } from '../errors/error-response.js';
import { truncate } from '../errors/http.errors.js';
import { clientAddress } from '../request/client-address.js';
import { contextOf } from '../request/request-context.js';
import { healthPaths } from '../routes/access.js';
import { pathOf } from '../routes/paths.js';
import { RepeatedLines } from './repeated-lines.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs a request that Node rejected: no hook runs for it. */
    logRejection(rejection: Rejection): void;
  }
}

interface Rejection {
  readonly requestId: string;
  readonly status: number;
  readonly method?: string | undefined;
  /** The error code of the HTTP parser. */
  readonly reason?: string | undefined;
}

/** Their log lines show the address of the client. */
const refusals = new Set([401, 403, 429]);
const maxPathLength = 100;
const maxFields = 20;
/** Field names may come from the caller. Only plain ones are logged. */
const plainName = /^[\w.-]{1,100}$/;
/** Phone numbers in any notation, and one-time passwords. */
const numbers = /\+?\d(?:[ ().-]{0,2}\d){3,}/g;

/** One log line per request; invalid keys of one address are logged a few times, and then counted. */
export function logRequests(fastify: FastifyInstance, logger: AppLogger): void {
  fastify.decorate('logRejection', ({ requestId, ...line }: Rejection) => {
    runInContext(newContext({ requestId }), () => {
      logger.info(line, 'request');
    });
  });
  const unauthorised = new RepeatedLines((address, omitted) => {
    logger.info({ address, status: 401, omitted }, 'requests with invalid keys were not logged one by one');
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode !== 401 || unauthorised.add(clientAddress(request)))
      logRequest(logger, request, reply);
    done();
  });
  fastify.addHook('onClose', (_, done) => {
    unauthorised.endWindow();
    done();
  });
}

/** Logs the route instead of the path where there is one: paths and queries contain phone numbers and ids. */
function logRequest(logger: AppLogger, request: FastifyRequest, reply: FastifyReply): void {
  const { url: route } = request.routeOptions;
  const { statusCode: status } = reply;
  const context = contextOf(request);
  const error = returnedError(request);
  const line = {
    method: request.method,
    status,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(route === undefined ? { path: loggablePath(request.originalUrl) } : { route }),
    ...(context.apiKeyId !== undefined && { apiKeyId: context.apiKeyId }),
    ...(request.method === 'POST' && status < 300 && { operationId: context.operationId }),
    ...(error && loggableError(error)),
    ...(refusals.has(status) && { address: clientAddress(request) }),
  };
  runInContext(context, () => {
    if (status >= 500) logger.warn(line, 'request');
    else if (healthPaths.has(route) && status < 400) logger.debug(line, 'request');
    else logger.info(line, 'request');
  });
}

/** The type of an error and the names of its fields, never their values. */
export function loggableError({ code, fields }: AppError): object {
  const names = fields.map(({ field }) => field).filter((name) => plainName.test(name));
  return { type: code, ...(names.length > 0 && { fields: names.slice(0, maxFields).map(maskNumbers) }) };
}

/** An unknown path without its query; undefined if it cannot be decoded. */
export function loggablePath(url: string): string | undefined {
  try {
    return truncate(maskNumbers(maskToken(decodeURIComponent(pathOf(url)))), maxPathLength);
  } catch {
    return undefined;
  }
}

/** The token of a provider. */
const maskToken = (path: string): string => path.replace(/^(\/in\/[^/]*\/).+$/s, '$1…');

const maskNumbers = (text: string): string => text.replace(numbers, maskPhone);
