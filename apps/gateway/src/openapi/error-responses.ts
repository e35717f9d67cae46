import { dailyLimitReached, insufficientBalance } from '@gangan/billing';
import { ApiField, exampleId, IntegerField, NestedList, type Schemas, TextField } from '@gangan/contracts';
import {
  type AppError,
  type ErrorType,
  type FieldError,
  internalError,
  invalidRequest,
  notFound,
  outcomeUnknown,
  quotaExceeded,
  unavailable,
} from '@gangan/protocol';
import { Matches } from 'class-validator';
import { addressNotAllowed, badKey, keyTooNew, suspended } from '../auth/auth.errors.js';
import { type ErrorBody, errorResponse } from '../http/errors/error-response.js';
import {
  badBody,
  bodyTooLarge,
  encodedBody,
  errorForStatus,
  methodNotAllowed,
  outOfScope,
} from '../http/errors/http.errors.js';
import { defaultBodyLimit } from '../http/request/body-parser.js';
import { describeJsonFault } from '../http/request/json-position.js';
import { idempotencyMismatch, inProgress } from '../idempotency/idempotency.errors.js';
import { overloaded, rateLimited } from '../limits/limits.errors.js';
import { storageLow } from '../storage/storage.errors.js';
import { type HeaderName, headerReferences, rateLimitHeaders } from './headers.js';

const exampleTime = new Date('2026-11-15T09:30:00.123Z');

class InvalidField implements FieldError {
  @TextField('The name of the field; nested names are dotted: `personalisation.0.to`', 'phone')
  field: string;

  @TextField('What is wrong and how to correct it', 'phone is required')
  message: string;

  @TextField('The kind of error, for programs', 'missing')
  @Matches(/^[a-z_]+$/)
  type: ErrorType;
}

class ErrorAnswer implements ErrorBody {
  @IntegerField('The HTTP status', 400)
  status: number;

  @TextField('What is wrong and what to do', 'The request is invalid')
  message: string;

  @NestedList(InvalidField)
  @ApiField('Every invalid field; empty if the error does not concern a field')
  errors: InvalidField[];
}

export type ErrorStatus = number | 'default';

type ErrorDescription = readonly [
  name: string,
  description: string,
  /** Real errors, so that the examples are what callers see. */
  examples: readonly AppError[],
  /** Headers in addition to `X-Request-Id`; by default, those of the rate limit. */
  headers?: readonly HeaderName[],
];

const descriptions: Readonly<Record<string, ErrorDescription>> = {
  400: [
    'Invalid',
    'The request is invalid; the response names every invalid field',
    [
      invalidRequest([{ field: 'phone', message: 'phone is required', type: 'missing' }]),
      badBody(
        'json_invalid',
        `The body is not valid JSON: ${describeJsonFault('{"phone": "07000000001",}')}`,
      ),
    ],
  ],
  401: [
    'BadKey',
    'The API key is missing, unknown, revoked or expired, or the Authorization header contains more than the key',
    [badKey()],
    [],
  ],
  402: [
    'InsufficientBalance',
    'The balance is too low; nothing was stored or sent',
    [insufficientBalance(400n, 320n)],
  ],
  403: [
    'Forbidden',
    'The key lacks the scope, may not be used from this IP address or is too new to buy airtime, the organisation is suspended or has used up a quota (`quota_exceeded`), or a setting of the organisation forbids the request',
    [
      outOfScope('lookup:read'),
      suspended(),
      addressNotAllowed(),
      keyTooNew(exampleTime),
      quotaExceeded('contact_rows', 5_000_000, 'Delete contacts'),
    ],
  ],
  404: ['NotFound', 'The id does not match a record of your organisation', [notFound('The record')]],
  409: [
    'InProgress',
    'A request with the same Idempotency-Key is still in progress, or the state of the record does not allow the request',
    [inProgress(12_000)],
    [...rateLimitHeaders, 'Retry-After', 'Idempotent-Replayed'],
  ],
  413: ['TooLarge', 'The body exceeds the limit of this operation', [bodyTooLarge(defaultBodyLimit)]],
  415: [
    'NotJson',
    'The body is not JSON in UTF-8, or not CSV where a file is expected',
    [errorForStatus(415), encodedBody()],
  ],
  422: [
    'IdempotencyMismatch',
    'The Idempotency-Key was used for a different request',
    [idempotencyMismatch()],
  ],
  429: [
    'TooMany',
    'Too many requests, or a limit of the organisation is reached (`daily_limit`: until 00:00 UTC; `too_many_callbacks`: while they wait for delivery); retry after the time in Retry-After',
    [
      rateLimited('organisation', { perSecond: 100, burst: 200 }, 1_000),
      dailyLimitReached(
        { name: 'airtime_daily_spend', kobo: 50_000_000n, left: 20_000n },
        100_000n,
        exampleTime,
      ),
    ],
    [...rateLimitHeaders, 'Retry-After'],
  ],
  500: ['Failed', 'An unexpected error; the message contains the request id', [internalError()], []],
  503: [
    'Unavailable',
    'The service is overloaded, a part of it is unavailable, or it has little storage left (`storage_low`); the request was not accepted. With the type `outcome_unknown` no response arrived in time, and a retry is safe with the same Idempotency-Key',
    [unavailable(), overloaded(), storageLow(), outcomeUnknown(exampleId)],
    ['Retry-After'],
  ],
  default: [
    'Refused',
    'Any other rejected request: a method that is not allowed, headers over 16 KiB, a request that arrives too slowly',
    [methodNotAllowed('DELETE', '/lookup/phone', ['GET', 'HEAD']), errorForStatus(431), errorForStatus(408)],
    [],
  ],
};

export const errorReferences = (statuses: readonly ErrorStatus[]): Record<string, { $ref: string }> =>
  Object.fromEntries(
    statuses.map((status) => {
      const description = descriptions[status];
      if (!description) throw new Error(`openapi/error-responses.ts does not describe the status ${status}`);
      return [status, { $ref: `#/components/responses/${description[0]}` }];
    }),
  );

/** The error responses that at least one operation refers to. */
export const errorResponses = (usedStatuses: ReadonlySet<string>, schemas: Schemas): Record<string, object> =>
  Object.fromEntries(
    Object.entries(descriptions)
      .filter(([status]) => usedStatuses.has(status))
      .map(([, description]) => [description[0], responseOf(description, schemas)]),
  );

/** The response of a route that people open in a browser. */
export const pageNotFound = (schemas: Schemas): object => ({
  description: 'Not found: a page for browsers, JSON for other clients',
  headers: headerReferences(['X-Request-Id', 'Link']),
  content: {
    'application/json': { schema: schemas.of(ErrorAnswer) },
    'text/html': { schema: { type: 'string' } },
  },
});

const responseOf = (
  [, description, examples, headers = rateLimitHeaders]: ErrorDescription,
  schemas: Schemas,
): object => ({
  description,
  headers: headerReferences(['X-Request-Id', 'Link', ...headers]),
  content: {
    'application/json': {
      schema: schemas.of(ErrorAnswer),
      examples: Object.fromEntries(
        examples.map((error) => [error.code, { value: errorResponse(error, exampleId).body }]),
      ),
    },
  },
});
