import { describeError, runWithoutContext } from '@gangan/protocol';
import type { QueueLogger } from '../observer.js';

interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

const quietMs = 10_000;

/** Logs an error, then nothing for a while, then how many were not logged: an outage does not flood the log. */
export class ThrottledErrorLog {
  private quietUntil = 0;
  private suppressed = 0;

  constructor(
    private readonly logger: QueueLogger,
    private readonly purpose: string,
  ) {}

  readonly report = (error: unknown): void => {
    const now = Date.now();
    if (now < this.quietUntil) {
      this.suppressed += 1;
      return;
    }
    const details = { purpose: this.purpose, reason: describeError(error), suppressed: this.suppressed };
    runWithoutContext(() => {
      this.logger.warn(details, 'broker connection error');
    });
    this.quietUntil = now + quietMs;
    this.suppressed = 0;
  };
}

/** An `error` event without a listener ends the process. @returns the source */
export function reportErrors<S extends ErrorSource>(source: S, logger: QueueLogger, purpose: string): S {
  source.on('error', new ThrottledErrorLog(logger, purpose).report);
  return source;
}
