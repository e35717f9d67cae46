import { type Dispatcher, errors } from 'undici';
import { ConnectionError, failed, type FailureReason, type PostResult } from './post-result.js';

export interface ExchangeLimits {
  /** From the name resolution to the last byte of the response. */
  readonly timeoutMs: number;
  /** A longer response is cut off and its connection closed. */
  readonly maxBytes: number;
}

/** Sends one request and waits for its result. */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<PostResult> =>
  new Promise((settle, reject) => {
    dispatcher.dispatch(request, new Exchange(limits, settle, reject));
  });

class Exchange implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private ended = false;
  private status = 0;
  private retryAfter: string | undefined;
  private readonly chunks: Buffer[] = [];
  private bytesLeft: number;

  constructor(
    limits: ExchangeLimits,
    private readonly settle: (result: PostResult) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.bytesLeft = limits.maxBytes;
    this.timer = setTimeout(() => {
      this.cut(failed('timeout'));
    }, limits.timeoutMs);
  }

  /** Connected, nothing sent yet: a request that has timed out is never sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) this.abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.status = status;
    this.retryAfter = [headers['retry-after']].flat()[0];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk.subarray(0, this.bytesLeft));
    const isTooLong = chunk.length > this.bytesLeft;
    this.bytesLeft -= Math.min(chunk.length, this.bytesLeft);
    if (isTooLong) this.cut(this.toResponse());
  }

  onResponseEnd(): void {
    this.end(this.toResponse());
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    // An invalid request, such as a header with a line break, is a fault of this worker, not of the host.
    if (error instanceof errors.InvalidArgumentError) this.reject(error);
    this.end(failed(toReason(error)));
  }

  private toResponse(): PostResult {
    return {
      outcome: 'answered',
      status: this.status,
      retryAfter: this.retryAfter,
      body: Buffer.concat(this.chunks),
    };
  }

  private cut(result: PostResult): void {
    this.end(result);
    this.abort();
  }

  private abort(): void {
    this.controller?.abort(new Error('aborted'));
  }

  private end(result: PostResult): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.settle(result);
  }
}

function toReason(error: Error): FailureReason {
  if (error instanceof ConnectionError) return error.reason;
  const malformed = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return malformed ? 'malformed_answer' : 'reset';
}
