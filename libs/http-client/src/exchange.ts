import { type Dispatcher, errors } from 'undici';

/** Why there was no response: codes for the stored attempt and for metrics. */
export type FailureReason =
  | 'invalid_url'
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'malformed_answer';

/** The result of one request. Errors of the other side are values, never exceptions. */
export type HttpResult =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      readonly retryAfter?: string | undefined;
      /** The first bytes of the body. */
      readonly body: Buffer;
    }
  | {
      readonly outcome: 'failed';
      readonly reason: FailureReason;
      /** True if no byte of the request was written, so the other side cannot have processed it. */
      readonly notSent?: boolean;
    };

export const failed = (reason: FailureReason, notSent = true): HttpResult => ({
  outcome: 'failed',
  reason,
  notSent,
});

/** Carries a failure through code that only passes on errors. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(readonly reason: FailureReason) {
    super(`The connection failed: ${reason}`);
  }
}

export interface ExchangeLimits {
  /** From the name resolution to the last byte of the response. */
  readonly timeoutMs: number;
  /** A longer response is cut off and its connection closed. */
  readonly maxBytes: number;
}

/** Sends one request and waits for its result. A request that times out before it is connected is never sent. */
export async function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.RequestOptions,
  { timeoutMs, maxBytes }: ExchangeLimits,
  canceled?: AbortSignal,
): Promise<HttpResult> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = canceled ? AbortSignal.any([timeout, canceled]) : timeout;
  let notSent = true;
  const watched = dispatcher.compose(
    onWrite(() => {
      notSent = false;
    }),
  );
  try {
    const { statusCode: status, headers, body } = await watched.request({ ...request, signal });
    const retryAfter = [headers['retry-after']].flat()[0];
    return { outcome: 'answered', status, retryAfter, body: await readStart(body, maxBytes) };
  } catch (error) {
    // An invalid request, such as a header with a line break, is a fault of this worker, not of the host.
    if (error instanceof errors.InvalidArgumentError) throw error;
    return failed(signal.aborted ? 'timeout' : toReason(error), notSent);
  }
}

/** undici starts a request on an open connection, just before it writes the first byte. */
const onWrite =
  (callback: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (...given) => {
      callback();
      start?.(...given);
    };
    return dispatch(options, handler);
  };

async function readStart(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytesLeft = maxBytes;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, bytesLeft));
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) break;
  }
  return Buffer.concat(chunks);
}

function toReason(error: unknown): FailureReason {
  if (error instanceof ConnectionError) return error.reason;
  const malformed = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return malformed ? 'malformed_answer' : 'reset';
}
