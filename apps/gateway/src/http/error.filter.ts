import { AppLogger } from '@gangan/runtime';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asAppError, errorAnswer } from './error-answer.js';
import { noteRefusal } from './given-refusal.js';
import { inWordsFor } from './unknown-outcome.js';

/** Whatever goes wrong in a controller, a hook, the parser or the router ends here. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: AppLogger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const refusal = inWordsFor(request.method, asAppError(error, request.routeOptions.bodyLimit));
    const { status, headers, body } = errorAnswer(refusal, request.id);
    noteRefusal(request, refusal);
    this.note(error, status, request.routeOptions.url);
    if (reply.sent) return;
    // Fastify gives up the connection of every body it could not use; one that was read to its end does no harm.
    if (request.raw.complete) reply.removeHeader('connection');
    void reply.status(status).headers(headers).send(body);
  }

  private note(error: unknown, status: number, route: string | undefined): void {
    if (status === 500) this.logger.error({ err: error, route }, 'a request failed unexpectedly');
    else if (error instanceof Error && error.cause !== undefined) {
      this.logger.warn({ err: error, route, status }, 'a request was refused');
    }
  }
}
