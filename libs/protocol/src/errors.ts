import { AppError, type FieldError } from './app-error.js';

/** The errors that any operation can meet. A domain's own live beside its contracts. */

export const invalidRequest = (fields: readonly FieldError[]): AppError =>
  new AppError('invalid_request', 400, 'The request is invalid', { fields });

export const notFound = (what: string): AppError => new AppError('not_found', 404, `${what} was not found`);

/** Nothing was accepted: trying again is safe. */
export const unavailable = (
  message = 'The service is unavailable, try again shortly',
  cause?: unknown,
): AppError => new AppError('unavailable', 503, message, { retryAfter: 1, cause });

/** No answer came in time: the work may or may not have been done. */
export const outcomeUnknown = (operationId: string, cause?: unknown): AppError =>
  new AppError('outcome_unknown', 503, 'No answer came in time; the request may still be carried out', {
    fields: [
      {
        field: 'id',
        message: `If it is carried out, what it creates has the id ${operationId}. Retry with the same Idempotency-Key.`,
        type: 'outcome_unknown',
      },
    ],
    retryAfter: 1,
    cause,
  });

/** What a caller sees of an error that was not meant for callers. */
export const internalError = (cause?: unknown): AppError =>
  new AppError('internal', 500, 'Something went wrong on our side', { cause });
