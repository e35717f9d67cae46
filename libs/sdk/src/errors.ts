import type { Schemas } from './routes.js';

/** The request that failed. */
export interface FailedRequest {
  /** Such as `POST /sms/send`. */
  readonly route: string;
  /** Call again with this key to repeat the request without carrying it out twice. Absent if the route takes none. */
  readonly idempotencyKey?: string | undefined;
}

/** Every error of the SDK, except an abort by the caller, which throws the reason of its signal. */
export class GanganError extends Error {
  override readonly name: string = 'GanganError';
  readonly route: string;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { route, idempotencyKey }: FailedRequest, cause?: unknown) {
    super(`${route}: ${message}`, cause === undefined ? undefined : { cause });
    this.route = route;
    this.idempotencyKey = idempotencyKey;
  }
}

/** The connection broke, or could not be made. The request may have been carried out. */
export class ConnectionError extends GanganError {
  override readonly name = 'ConnectionError';
}

/** No final response within `timeoutMs`. The request may have been carried out; `cause` is the last failure. */
export class TimeoutError extends GanganError {
  override readonly name = 'TimeoutError';
}

interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The API responded with an error. */
export class ApiError extends GanganError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The type of the first field, such as `insufficient_balance`; undefined if the error has none. */
  readonly type: string | undefined;
  /** Every invalid field with its type; empty if the error does not concern a field. */
  readonly fields: readonly Schemas['InvalidField'][];
  /** Quote it when you ask the operator. */
  readonly requestId: string | undefined;
  /** Seconds after which to retry. */
  readonly retryAfter: number | undefined;
  /** Whether the API sent it, and not a proxy on the way. */
  readonly isFromApi: boolean;

  constructor({ status, headers, body }: ErrorResponse, request: FailedRequest) {
    const parsed = errorAnswer(body);
    super(parsed?.message ?? `HTTP status ${status}`, request);
    this.status = status;
    this.fields = parsed?.errors ?? [];
    this.type = this.fields[0]?.type;
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.retryAfter = secondsOf(headers.get('retry-after'));
    this.isFromApi = parsed !== undefined;
  }
}

/** The signature or the time of a callback is not valid. Respond with 401. */
export class CallbackSignatureError extends Error {
  override readonly name = 'CallbackSignatureError';
}

function errorAnswer(body: string): Schemas['ErrorAnswer'] | undefined {
  try {
    const answer = JSON.parse(body) as Partial<Schemas['ErrorAnswer']> | null;
    return Array.isArray(answer?.errors) ? (answer as Schemas['ErrorAnswer']) : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds, or a date if a proxy sent it. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
