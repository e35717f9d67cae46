import { AppError } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBrowser } from '../pages/html-page.js';
import { sendErrorPage } from './error-page.js';
import { errorResponse, rememberError, toAppError } from './error-response.js';

/** Turns every error of a controller, a hook, the body parser or the router into the response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: AppLogger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const appError = toAppError(error, request.routeOptions.bodyLimit);
    const shown = suggestPath(request, rewordUnknownOutcome(request.method, appError));
    const { status, headers, body } = errorResponse(shown, request.id, request.server.publicPath);
    rememberError(request, shown);
    this.log(error, status, request.routeOptions.url);
    if (reply.sent) return;
    // Fastify closes the connection after every body error. That is needless if the body was read completely.
    if (request.raw.complete) reply.removeHeader('connection');
    void reply.status(status).headers(headers);
    if (isOpenedByPerson(request)) sendErrorPage(request, reply, body);
    else void reply.send(body);
  }

  private log(error: unknown, status: number, route: string | undefined): void {
    if (status === 500) this.logger.error({ err: error, route }, 'request failed unexpectedly');
    else if (error instanceof Error && error.cause !== undefined) {
      this.logger.warn({ err: error, route, status }, 'request was rejected');
    }
  }
}

/** What was taken for an id may be a typo of another path. The suggestion depends on the request alone. */
function suggestPath(request: FastifyRequest, error: AppError): AppError {
  const { originalUrl, apiKey, routeOptions } = request;
  if (error.code !== 'not_found' || !apiKey || routeOptions.url === undefined) return error;
  const meant = request.server.nearestSibling(routeOptions.url, originalUrl);
  return meant === undefined
    ? error
    : new AppError(error.code, error.status, `${error.message}; did you mean ${meant}?`);
}

/** A URL typed into a browser or a link to it. A request with a key is one of a program, whatever it accepts. */
const isOpenedByPerson = (request: FastifyRequest): boolean =>
  readMethods.has(request.method) && request.headers.authorization === undefined && isBrowser(request);

const readMethods = new Set(['GET', 'HEAD']);
const rewordings: Readonly<Record<'read' | 'delete', readonly [message: string, advice: string]>> = {
  read: ['No response arrived in time', 'Send the request again'],
  delete: [
    'No response arrived in time; the request may still be carried out',
    'Send the request again; repeating a DELETE is safe',
  ],
};

/** Reads and deletes create nothing and take no Idempotency-Key, so their message mentions neither. */
export function rewordUnknownOutcome(method: string, error: AppError): AppError {
  const kind = readMethods.has(method) ? 'read' : method === 'DELETE' ? 'delete' : undefined;
  if (error.code !== 'outcome_unknown' || !kind) return error;
  const [message, advice] = rewordings[kind];
  return new AppError(error.code, error.status, message, {
    fields: [{ field: 'service', message: advice, type: 'outcome_unknown' }],
    retryAfter: 1,
    cause: error.cause,
  });
}
