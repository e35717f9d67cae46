import { type FailedRequest, type GanganError, TimeoutError } from './errors.js';

/** The largest delay of a timer; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The total time of a call. Its signal aborts when the time is over, or when the caller aborts. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly endsAt: number;
  private readonly timer: ReturnType<typeof setTimeout>;
  private isOver = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.endsAt = performance.now() + timeoutMs;
    this.timer = setTimeout(
      () => {
        this.isOver = true;
        this.controller.abort();
      },
      Math.min(timeoutMs, maxTimerMs),
    );
    if (caller?.aborted) this.abort();
    else caller?.addEventListener('abort', this.abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get leftMs(): number {
    return this.endsAt - performance.now();
  }

  /** @throws TimeoutError, or what the caller gave as the reason of the abort */
  check(request: FailedRequest, lastFailure: GanganError | undefined): void {
    if (this.isOver)
      throw new TimeoutError(`no final response within ${this.timeoutMs} ms`, request, lastFailure);
    this.caller?.throwIfAborted();
  }

  /** Waits, unless the caller aborts. */
  async pause(ms: number): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Stops the clock. The caller can still abort, for example while the body of a file is read. */
  stopClock(): void {
    clearTimeout(this.timer);
  }

  end(): void {
    this.stopClock();
    this.caller?.removeEventListener('abort', this.abort);
  }

  private readonly abort = (): void => {
    this.controller.abort(this.caller?.reason);
  };
}
