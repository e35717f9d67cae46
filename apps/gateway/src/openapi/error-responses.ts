import { insufficientBalance } from '@gangan/billing';
import { ApiField, NestedList, type Schemas } from '@gangan/contracts';
import {
  type AppError,
  type FieldError,
  internalError,
  invalidRequest,
  notFound,
  outcomeUnknown,
  unavailable,
} from '@gangan/protocol';
import { IsInt, IsString, Matches } from 'class-validator';
import { badKey, outOfScope, suspended } from '../auth/auth.errors.js';
import { type ErrorBody, errorResponse } from '../http/errors/error-response.js';
import {
  badBody,
  bodyTooLarge,
  encodedBody,
  errorForStatus,
  methodNotAllowed,
} from '../http/errors/http.errors.js';
import { defaultBodyLimit } from '../http/request/body-parser.js';
import { idempotencyMismatch, inProgress } from '../idempotency/idempotency.errors.js';
import { overloaded, rateLimited } from '../limits/limits.errors.js';
import { exampleId, type HeaderName, headerReferences, rateLimitHeaders } from './headers.js';

/** One invalid field. */
class InvalidField implements FieldError {
  @IsString()
  @ApiField('The name of the field; nested names are dotted: `personalisation.0.to`', 'phone')
  field: string;

  @IsString()
  @ApiField('What is wrong and how to correct it', 'phone is required')
  message: string;

  @IsString()
  @Matches(/^[a-z_]+$/)
  @ApiField('The kind of error, for programs', 'missing')
  type: string;
}

/** The body of every error response. */
class ErrorAnswer implements ErrorBody {
  @IsInt()
  @ApiField('The HTTP status', 400)
  status: number;

  @IsString()
  @ApiField('What is wrong and what to do', 'The request is invalid')
  message: string;

  @NestedList(InvalidField)
  @ApiField('Every invalid field; empty if the error does not concern a field')
  errors: InvalidField[];
}

export type ErrorStatus = number | 'default';

interface ErrorDescription {
  readonly name: string;
  readonly description: string;
  /** Real errors, so that the examples are what callers see. */
  readonly examples: readonly AppError[];
  readonly headers?: readonly HeaderName[];
}

const descriptions: Readonly<Record<string, ErrorDescription>> = {
  400: {
    name: 'Invalid',
    description: 'The request is invalid; the response names every invalid field',
    examples: [
      invalidRequest([{ field: 'phone', message: 'phone is required', type: 'missing' }]),
      badBody('json_invalid', 'The body is not valid JSON'),
    ],
    headers: rateLimitHeaders,
  },
  401: {
    name: 'BadKey',
    description:
      'The API key is missing, unknown, revoked or expired, or the Authorization header contains more than the key',
    examples: [badKey()],
  },
  402: {
    name: 'InsufficientBalance',
    description: 'The balance is too low; nothing was stored or sent',
    examples: [insufficientBalance(400n, 320n)],
    headers: rateLimitHeaders,
  },
  403: {
    name: 'Forbidden',
    description:
      'The key lacks the scope, the organisation is suspended, or a setting of the organisation forbids the request',
    examples: [outOfScope('lookup:read'), suspended()],
    headers: rateLimitHeaders,
  },
  404: {
    name: 'NotFound',
    description: 'The id does not match a record of your organisation',
    examples: [notFound('The record')],
    headers: rateLimitHeaders,
  },
  409: {
    name: 'InProgress',
    description:
      'A request with the same Idempotency-Key is still in progress, or the state of the record does not allow the request',
    examples: [inProgress(12_000)],
    headers: [...rateLimitHeaders, 'Retry-After', 'Idempotent-Replayed'],
  },
  413: {
    name: 'TooLarge',
    description: 'The body exceeds the limit of this operation',
    examples: [bodyTooLarge(defaultBodyLimit)],
    headers: rateLimitHeaders,
  },
  415: {
    name: 'NotJson',
    description: 'The body is not JSON in UTF-8, or not CSV where a file is expected',
    examples: [errorForStatus(415), encodedBody()],
    headers: rateLimitHeaders,
  },
  422: {
    name: 'IdempotencyMismatch',
    description: 'The Idempotency-Key was used for a different request',
    examples: [idempotencyMismatch()],
    headers: rateLimitHeaders,
  },
  429: {
    name: 'TooMany',
    description: 'Too many requests; retry after the time in Retry-After',
    examples: [rateLimited('organisation', { perSecond: 100, burst: 200 }, 1_000)],
    headers: [...rateLimitHeaders, 'Retry-After'],
  },
  500: {
    name: 'Failed',
    description: 'An unexpected error; the message contains the request id',
    examples: [internalError()],
  },
  503: {
    name: 'Unavailable',
    description:
      'The service is overloaded or a part of it is unavailable; the request was not accepted. With the type `outcome_unknown` no response arrived in time, and a retry is safe with the same Idempotency-Key',
    examples: [unavailable(), overloaded(), outcomeUnknown(exampleId)],
    headers: ['Retry-After'],
  },
  default: {
    name: 'Refused',
    description:
      'Any other rejected request: a method that is not allowed, headers over 16 KiB, a request that arrives too slowly',
    examples: [
      methodNotAllowed('DELETE', '/lookup/phone', ['GET', 'HEAD']),
      errorForStatus(431),
      errorForStatus(408),
    ],
  },
};

/** References to the error responses of one operation. */
export const errorReferences = (statuses: readonly ErrorStatus[]): Record<string, { $ref: string }> =>
  Object.fromEntries(
    statuses.map((status) => {
      const description = descriptions[status];
      if (!description) throw new Error(`openapi/error-responses.ts does not describe the status ${status}`);
      return [status, { $ref: `#/components/responses/${description.name}` }];
    }),
  );

/** The error responses that at least one operation refers to. */
export const errorResponses = (usedStatuses: ReadonlySet<string>, schemas: Schemas): Record<string, object> =>
  Object.fromEntries(
    Object.entries(descriptions)
      .filter(([status]) => usedStatuses.has(status))
      .map(([, description]) => [description.name, responseOf(description, schemas)]),
  );

const responseOf = ({ description, examples, headers = [] }: ErrorDescription, schemas: Schemas): object => ({
  description,
  headers: headerReferences(['X-Request-Id', ...headers]),
  content: {
    'application/json': {
      schema: schemas.of(ErrorAnswer),
      examples: Object.fromEntries(
        examples.map((error) => [error.code, { value: errorResponse(error, exampleId).body }]),
      ),
    },
  },
});
