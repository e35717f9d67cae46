import { AppError, type FieldError, internalError } from '@gangan/protocol';
import { HttpException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { helpLinks } from './help-links.js';
import { bodyTooLarge, errorForStatus } from './http.errors.js';

export interface ErrorBody {
  readonly status: number;
  readonly message: string;
  readonly errors: readonly FieldError[];
}

const returned = new WeakMap<FastifyRequest, AppError>();

/** Remembers the error that a request is answered with, because the response does not contain its code. */
export const rememberError = (request: FastifyRequest, error: AppError): void =>
  void returned.set(request, error);

export const returnedError = (request: FastifyRequest): AppError | undefined => returned.get(request);

export const defaultHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  // Browsers must not guess another type than the one of the response.
  'x-content-type-options': 'nosniff',
});

/** Only an AppError is shown to the caller. For any other error the caller gets the request id, which is logged too. */
export function errorResponse(error: unknown, requestId: string, publicPath?: string) {
  const { status, message: text, fields: errors, retryAfter } = toAppError(error);
  const message = status === 500 ? `${text}. The request id is ${requestId}` : text;
  const body: ErrorBody = { status, message, errors };
  const headers = {
    ...defaultHeaders(requestId),
    link: helpLinks(status, errors, publicPath),
    ...retryAfterHeader(status, retryAfter),
  };
  return { status, headers, body };
}

/** @param bodyLimit of the route, in bytes */
export function toAppError(error: unknown, bodyLimit?: number): AppError {
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  if (status === undefined || status < 400 || status >= 500) return internalError(error);
  if (status === 413 && bodyLimit !== undefined) return bodyTooLarge(bodyLimit);
  return errorForStatus(status, error instanceof HttpException ? error.message : undefined);
}

/** Errors of Nest and Fastify, and those of an incomplete body, carry their status. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  return (error as { readonly statusCode?: number } | undefined)?.statusCode;
}

function retryAfterHeader(status: number, seconds?: number): Record<string, string> {
  if (seconds === undefined && status !== 503 && status !== 429) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil(seconds ?? 1))) };
}
