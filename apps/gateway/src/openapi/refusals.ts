import type { Schemas } from '@gangan/contracts';
import { AppError, internalError, invalidRequest, notFound, unavailable } from '@gangan/protocol';
import { badKey, outOfScope } from '../auth/auth.errors.js';
import { errorAnswer } from '../http/error-answer.js';
import { methodNotAllowed, refusalOf } from '../http/refusals.js';
import { ErrorAnswer } from './error.dto.js';
import { headerReferences, type HeaderName, rateLimitHeaders } from './headers.js';

interface Refusal {
  readonly name: string;
  readonly description: string;
  /** A real one, so that the example is what callers see. */
  readonly example: AppError;
  readonly headers?: readonly HeaderName[];
}

const requestId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const field = (name: string, type: string, message: string) => [{ field: name, message, type }];

/** What any operation may answer instead of a success. */
const refusals: Readonly<Record<string, Refusal>> = {
  400: {
    name: 'Invalid',
    description: 'The request cannot be used; every invalid field is named',
    example: invalidRequest(field('phone', 'missing', 'phone is required')),
    headers: rateLimitHeaders,
  },
  401: {
    name: 'BadKey',
    description: 'The API key is missing, unknown, revoked or expired, or does not stand alone',
    example: badKey(),
  },
  402: {
    name: 'InsufficientBalance',
    description: 'The balance is too low; nothing was stored, nothing sent',
    example: new AppError(
      'insufficient_balance',
      402,
      'This costs 4.00 NGN, and 3.20 NGN are there: top up',
      {
        fields: field('balance', 'insufficient_balance', 'The balance is too low'),
      },
    ),
    headers: rateLimitHeaders,
  },
  403: {
    name: 'Forbidden',
    description: 'The key lacks the scope, or the organisation is suspended',
    example: outOfScope('lookup:read'),
  },
  404: {
    name: 'NotFound',
    description: 'The id names nothing that is yours',
    example: notFound('The record'),
    headers: rateLimitHeaders,
  },
  409: {
    name: 'InProgress',
    description: 'A request with the same Idempotency-Key is still running',
    example: new AppError('in_progress', 409, 'A request with this Idempotency-Key is still running', {
      fields: field('Idempotency-Key', 'in_progress', 'Wait for its answer, or try again shortly'),
    }),
    headers: [...rateLimitHeaders, 'Retry-After', 'Idempotent-Replayed'],
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than this operation takes',
    example: refusalOf(413),
    headers: rateLimitHeaders,
  },
  415: {
    name: 'NotJson',
    description: 'The body is not JSON in UTF-8',
    example: refusalOf(415),
    headers: rateLimitHeaders,
  },
  422: {
    name: 'IdempotencyMismatch',
    description: 'The Idempotency-Key was used with another body',
    example: new AppError('idempotency_mismatch', 422, 'This Idempotency-Key was used with another body', {
      fields: field('Idempotency-Key', 'idempotency_mismatch', 'Use a new key for a new request'),
    }),
    headers: rateLimitHeaders,
  },
  429: {
    name: 'TooMany',
    description: 'Too many requests; try again after the time of Retry-After',
    example: new AppError('rate_limited', 429, 'Too many requests: 100 a second are allowed', {
      fields: field('Authorization', 'rate_limited', 'Send fewer requests with this key'),
    }),
    headers: [...rateLimitHeaders, 'Retry-After'],
  },
  500: {
    name: 'Failed',
    description: 'Something went wrong on our side; the message holds the id of the request',
    example: internalError(),
  },
  503: {
    name: 'Unavailable',
    description:
      'Overloaded, or a part of the service is away: nothing was accepted. With the type `outcome_unknown` no answer came in time, and a retry is safe with the same Idempotency-Key',
    example: unavailable(),
    headers: ['Retry-After'],
  },
  default: {
    name: 'Refused',
    description:
      'Anything else that the door refuses: a wrong method, headers beyond 16 KiB, a request that arrives too slowly',
    example: methodNotAllowed('DELETE', '/lookup/phone', ['GET', 'HEAD']),
  },
};

/** References for the answers of one operation. */
export const refusalReferences = (
  statuses: readonly (number | 'default')[],
): Record<string, { $ref: string }> =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${find(status).name}` }]),
  );

/** The answers themselves, of the statuses that some operation refers to. */
export const refusalComponents = (used: ReadonlySet<string>, schemas: Schemas): Record<string, object> =>
  Object.fromEntries(
    Object.entries(refusals)
      .filter(([status]) => used.has(status))
      .map(([, { name, description, example, headers = [] }]) => [
        name,
        {
          description,
          headers: headerReferences(['X-Request-Id', ...headers]),
          content: {
            'application/json': {
              schema: schemas.of(ErrorAnswer),
              examples: { [example.code]: { value: errorAnswer(example, requestId).body } },
            },
          },
        },
      ]),
  );

function find(status: number | 'default'): Refusal {
  const refusal = refusals[status];
  if (!refusal)
    throw new Error(`There is no description of the status ${status}: add it to openapi/refusals.ts`);
  return refusal;
}
