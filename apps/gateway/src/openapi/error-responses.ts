import { insufficientBalance } from '@gangan/billing';
import {
  type AppError,
  internalError,
  invalidRequest,
  notFound,
  outcomeUnknown,
  unavailable,
} from '@gangan/protocol';
import { badKey, outOfScope, suspended } from '../auth/auth.errors.js';
import { badBody, bodyTooLarge, encodedBody, methodNotAllowed, refusalOf } from '../http/refusals.js';
import { usualBodyLimit } from '../http/server-options.js';
import { idempotencyMismatch, inProgress } from '../idempotency/idempotency.errors.js';
import { overloaded, rateLimited } from '../limits/limits.errors.js';
import { exampleId } from './example-id.js';
import { type HeaderName, rateLimitHeaders } from './headers.js';

export type RefusalStatus = number | 'default';

export interface ErrorResponse {
  readonly name: string;
  readonly description: string;
  /** Real ones, so that the examples are what callers see. */
  readonly examples: readonly AppError[];
  readonly headers?: readonly HeaderName[];
}

/** What operations may answer instead of a success. */
export const refusals: Readonly<Record<string, ErrorResponse>> = {
  400: {
    name: 'Invalid',
    description: 'The request cannot be used; every invalid field is named',
    examples: [
      invalidRequest([{ field: 'phone', message: 'phone is required', type: 'missing' }]),
      badBody('json_invalid', 'The body is not valid JSON'),
    ],
    headers: rateLimitHeaders,
  },
  401: {
    name: 'BadKey',
    description: 'The API key is missing, unknown, revoked or expired, or does not stand alone',
    examples: [badKey()],
  },
  402: {
    name: 'InsufficientBalance',
    description: 'The balance is too low; nothing was stored, nothing sent',
    examples: [insufficientBalance(400n, 320n)],
    headers: rateLimitHeaders,
  },
  403: {
    name: 'Forbidden',
    description:
      'The key lacks the scope, the organisation is suspended, or it has ruled out what was asked for',
    examples: [outOfScope('lookup:read'), suspended()],
    headers: rateLimitHeaders,
  },
  404: {
    name: 'NotFound',
    description: 'The id names nothing that is yours',
    examples: [notFound('The record')],
    headers: rateLimitHeaders,
  },
  409: {
    name: 'InProgress',
    description:
      'A request with the same Idempotency-Key is still being carried out, or what was asked for can be done once and was',
    examples: [inProgress(12_000)],
    headers: [...rateLimitHeaders, 'Retry-After', 'Idempotent-Replayed'],
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than this operation takes',
    examples: [bodyTooLarge(usualBodyLimit)],
    headers: rateLimitHeaders,
  },
  415: {
    name: 'NotJson',
    description: 'The body is not JSON in UTF-8, or not CSV where a file is taken',
    examples: [refusalOf(415), encodedBody()],
    headers: rateLimitHeaders,
  },
  422: {
    name: 'IdempotencyMismatch',
    description: 'The Idempotency-Key was used for another request',
    examples: [idempotencyMismatch()],
    headers: rateLimitHeaders,
  },
  429: {
    name: 'TooMany',
    description: 'Too many requests; try again after the time of Retry-After',
    examples: [rateLimited('organisation', { perSecond: 100, burst: 200 }, 1_000)],
    headers: [...rateLimitHeaders, 'Retry-After'],
  },
  500: {
    name: 'Failed',
    description: 'Something went wrong on our side; the message holds the id of the request',
    examples: [internalError()],
  },
  503: {
    name: 'Unavailable',
    description:
      'Overloaded, or a part of the service is away: nothing was accepted. With the type `outcome_unknown` no answer came in time, and a retry is safe with the same Idempotency-Key',
    examples: [unavailable(), overloaded(), outcomeUnknown(exampleId)],
    headers: ['Retry-After'],
  },
  default: {
    name: 'Refused',
    description:
      'Anything else that the door refuses: a wrong method, headers beyond 16 KiB, a request that arrives too slowly',
    examples: [methodNotAllowed('DELETE', '/lookup/phone', ['GET', 'HEAD']), refusalOf(431), refusalOf(408)],
  },
};
