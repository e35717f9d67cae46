import { type Dispatcher, errors } from 'undici';
import { ConnectionFailure, failed, type FailureReason, type Outcome } from './outcome.js';

export interface ExchangeLimits {
  /** From the first look at the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** As much of an answer is kept; the rest is not read, and its connection closed. */
  readonly answerBytes: number;
}

/** Sends one request and waits for what becomes of it. */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<Outcome> =>
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
  private room: number;

  constructor(
    limits: ExchangeLimits,
    private readonly settle: (outcome: Outcome) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.room = limits.answerBytes;
    this.timer = setTimeout(() => {
      this.cut(failed('timeout'));
    }, limits.timeoutMs);
  }

  /** The connection stands, nothing is sent yet: what has already been given up is never sent late. */
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
    this.chunks.push(chunk.subarray(0, this.room));
    const tooMuch = chunk.length > this.room;
    this.room -= Math.min(chunk.length, this.room);
    if (tooMuch) this.cut(this.answered());
  }

  onResponseEnd(): void {
    this.end(this.answered());
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    // A request that cannot be written, a header with a line break for one, is our own fault and no consumer's.
    if (error instanceof errors.InvalidArgumentError) this.reject(error);
    this.end(failed(reasonOf(error)));
  }

  private answered(): Outcome {
    return {
      outcome: 'answered',
      status: this.status,
      headers: this.retryAfter === undefined ? {} : { retryAfter: this.retryAfter },
      answer: Buffer.concat(this.chunks),
    };
  }

  private cut(outcome: Outcome): void {
    this.end(outcome);
    this.abort();
  }

  private abort(): void {
    this.controller?.abort(new Error('given up'));
  }

  private end(outcome: Outcome): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.settle(outcome);
  }
}

function reasonOf(error: Error): FailureReason {
  if (error instanceof ConnectionFailure) return error.reason;
  const malformed = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return malformed ? 'malformed_answer' : 'reset';
}
