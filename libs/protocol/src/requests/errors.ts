import { AppError, type FieldError } from './app-error.js';
import type { ErrorType } from './error-types.js';

/** The errors that any operation can return. The errors of a domain are in its worker. */

export const invalidRequest = (fields: readonly FieldError[]): AppError =>
  new AppError('invalid_request', 400, 'The request is invalid', { fields });

export const fieldError = (field: string, message: string, type: ErrorType = 'value_error'): FieldError => ({
  field,
  message,
  type,
});

export const notFound = (what: string): AppError => new AppError('not_found', 404, `${what} was not found`);

/**
 * The organisation has stored what it may store; nothing was stored.
 * @param limit as `pnpm admin limits` calls it
 */
export function quotaExceeded(limit: string, max: number | bigint, advice: string): AppError {
  const most = max.toLocaleString('en');
  const message = `The limit ${limit} is ${most}. ${advice}, or ask the operator for a higher limit.`;
  return new AppError(
    quotaExceededType,
    403,
    `The organisation has reached its limit of ${most} ${limit.replaceAll('_', ' ')}`,
    {
      fields: [{ field: limit, message, type: quotaExceededType }],
    },
  );
}

const quotaExceededType = 'quota_exceeded';

export const isQuotaExceeded = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === quotaExceededType;

/** Nothing was accepted: a retry is safe. */
export const unavailable = (
  message = 'The service is unavailable. Retry after the time in Retry-After.',
  cause?: unknown,
): AppError => new AppError('unavailable', 503, message, { retryAfter: 1, cause });

/** In seconds. A retry succeeds only after the operator has added a provider. */
const retryAfterNoProvider = 60;

/**
 * @param what what cannot be provided: `SMS`, `airtime`
 * @param scope what has no provider
 */
export const noLiveProvider = (what: string, scope = 'live organisations'): AppError =>
  new AppError(
    'unavailable',
    503,
    `No ${what} provider is configured for ${scope}; nothing was accepted or charged. Use a test key, or ask ` +
      'the operator to add a provider and a route or, for a trial, to set SIMULATE_LIVE=true.',
    { retryAfter: retryAfterNoProvider, concernsOperator: true },
  );

/** @param recipients the numbers without a provider; absent if no message of the organisation has one */
export const noMessageRoute = (channel: string, recipients?: string): AppError =>
  noLiveProvider(channel, recipients);

/** No reply arrived in time: the work may or may not have been done. */
export const outcomeUnknown = (operationId: string, cause?: unknown): AppError =>
  new AppError('outcome_unknown', 503, 'No reply arrived in time. The request may still be carried out.', {
    fields: [
      {
        field: 'id',
        message: `If the request is carried out, the resource has the id ${operationId}. Retry with the same Idempotency-Key.`,
        type: 'outcome_unknown',
      },
    ],
    retryAfter: 1,
    cause,
  });

/** For a read after a write that failed: if the read fails too, an unknown outcome stays unknown. */
export const keepUnknown =
  (error: AppError) =>
  (failure: unknown): never => {
    throw error.code === 'outcome_unknown' ? error : failure;
  };

/** Replaces an error that callers must not see. */
export const internalError = (cause?: unknown): AppError =>
  new AppError('internal', 500, 'An internal error occurred', { cause });
