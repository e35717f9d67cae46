import { AppError, type FieldError, internalError } from '@gangan/protocol';
import { HttpException } from '@nestjs/common';
import { bodyTooLarge, refusalOf } from './refusals.js';

/** The one shape of every answer that is not a success. */
export interface ErrorBody {
  readonly status: number;
  readonly message: string;
  readonly errors: readonly FieldError[];
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** On every answer, whatever it says. */
export const ownHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
});

/** Only an AppError is meant for callers. Of anything else they learn the request id, which is in the log too. */
export function errorAnswer(error: unknown, requestId: string): ErrorAnswer {
  const { status, message, fields, retryAfter } = asAppError(error);
  return {
    status,
    headers: { ...ownHeaders(requestId), ...retryAfterHeader(status, retryAfter) },
    body: {
      status,
      message: status === 500 ? `${message}. The request id is ${requestId}` : message,
      errors: fields,
    },
  };
}

/** @param bodyLimit in bytes, of the route that was asked */
export function asAppError(error: unknown, bodyLimit?: number): AppError {
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  if (status === undefined || status < 400 || status >= 500) return internalError(error);
  if (status === 413 && bodyLimit !== undefined) return bodyTooLarge(bodyLimit);
  return refusalOf(status, error instanceof HttpException ? error.message : undefined);
}

/** Nest's and Fastify's errors, and those of a body that stopped in the middle, carry the status they stand for. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  return (error as { readonly statusCode?: number } | undefined)?.statusCode;
}

/** Whoever is told to come again is told when. */
function retryAfterHeader(status: number, seconds?: number): Record<string, string> {
  if (seconds === undefined && status !== 503 && status !== 429) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil(seconds ?? 1))) };
}
