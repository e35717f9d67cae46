import { type AppError, isDebugged, newContext, runInContext } from '@gangan/protocol';
import { type AppLogger, maskPhone } from '@gangan/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { returnedError } from '../errors/error-response.js';
import { truncate } from '../errors/http.errors.js';
import { clientAddress, clientNetwork, networkOf } from '../request/client-address.js';
import { contextOf } from '../request/request-context.js';
import { healthPaths } from '../routes/access.js';
import { pathOf } from '../routes/paths.js';
import { otherLines, RepeatedLines } from './repeated-lines.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs a request that Node rejected: no hook runs for it. */
    logRejection(rejection: Rejection): void;
  }
}

interface Rejection {
  readonly requestId: string;
  readonly status: number;
  /** The address of the peer, which may be a proxy: the headers may be unreadable. */
  readonly address: string | undefined;
  readonly method?: string | undefined;
  /** The error code of the HTTP parser. */
  readonly reason?: string | undefined;
}

/** The log lines of these statuses show the address of the client. */
const refusals = new Set([401, 403, 429]);
/** Anyone can cause these statuses, even without a key. A few lines of each address are written, then counted. */
const sampled = new Set([400, 401, 403, 404, 405, 408, 413, 414, 415, 417, 429, 431]);
const maxPathLength = 100;
const maxFields = 20;
/** Field names may come from the caller. Only plain ones are logged. */
const plainName = /^[\w.-]{1,100}$/;
/** Phone numbers in any notation, and one-time passwords. */
const numbers = /\+?\d(?:[ ().-]{0,2}\d){3,}/g;

/**
 * One log line per request. Refused requests of one address with the same status and key are logged a few times, and then
 * counted.
 * @param maxRepeated how many of them are logged in 10 s; 5 by default
 */
export function logRequests(fastify: FastifyInstance, logger: AppLogger, maxRepeated?: number): void {
  const summarise = (key: string, omitted: number): void => {
    const [status, address, apiKeyId] = key.split(' ');
    const source = { address, status: Number(status), ...(apiKeyId !== undefined && { apiKeyId }) };
    const line = key === otherLines ? { omitted } : { ...source, omitted };
    logger.info(line, 'refused requests were not logged one by one');
  };
  const refused = new RepeatedLines(summarise, maxRepeated);
  // Counted separately, so that a flood without a key hides no requests of customers.
  const refusedWithKey = new RepeatedLines(summarise, maxRepeated);
  const isAmongFirst = (request: FastifyRequest, { statusCode }: FastifyReply): boolean => {
    const { apiKeyId } = contextOf(request);
    const source = `${statusCode} ${clientNetwork(request)}`;
    return apiKeyId === undefined ? refused.add(source) : refusedWithKey.add(`${source} ${apiKeyId}`);
  };
  fastify.decorate('logRejection', ({ requestId, address = '', ...line }: Rejection) => {
    if (!refused.add(`${line.status} ${networkOf(address)}`)) return;
    runInContext(newContext({ requestId }), () => {
      logger.info(line, 'request');
    });
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    if (!sampled.has(reply.statusCode) || isDebugged(request.id) || isAmongFirst(request, reply))
      logRequest(logger, request, reply);
    done();
  });
  fastify.addHook('onClose', (_, done) => {
    refused.endWindow();
    refusedWithKey.endWindow();
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

/** Hides the token of a provider. */
const maskToken = (path: string): string => path.replace(/^(\/in\/[^/]*\/).+$/s, '$1…');

const maskNumbers = (text: string): string => text.replace(numbers, maskPhone);
