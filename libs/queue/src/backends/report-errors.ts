import { runWithoutContext, describeError } from '@gangan/protocol';
import type { QueueLogger } from '../observer.js';

interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

const QUIET_MS = 10_000;

/** Tells of a trouble once, and then how often it came in the meantime: an outage must not flood the log. */
export class QuietReporter {
  private quietUntil = 0;
  private unsaid = 0;

  constructor(
    private readonly logger: QueueLogger,
    private readonly purpose: string,
  ) {}

  report(error: unknown): void {
    const now = Date.now();
    if (now < this.quietUntil) {
      this.unsaid += 1;
      return;
    }
    const details = { purpose: this.purpose, reason: describeError(error), unsaid: this.unsaid };
    runWithoutContext(() => {
      this.logger.warn(details, 'broker connection error');
    });
    this.quietUntil = now + QUIET_MS;
    this.unsaid = 0;
  }
}

/** Without a listener an `error` event ends the process. */
export function reportErrors(source: ErrorSource, logger: QueueLogger, purpose: string): void {
  const reporter = new QuietReporter(logger, purpose);
  source.on('error', (error) => {
    reporter.report(error);
  });
}
