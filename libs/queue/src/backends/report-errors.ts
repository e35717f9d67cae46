import type { QueueLogger } from '../observer.js';

interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

const QUIET_MS = 10_000;

/** Without a listener an `error` event ends the process; with a bare one, an outage floods the log. */
export function reportErrors(source: ErrorSource, logger: QueueLogger, purpose: string): void {
  let quietUntil = 0;
  let unsaid = 0;
  source.on('error', (error) => {
    const now = Date.now();
    if (now < quietUntil) {
      unsaid += 1;
      return;
    }
    logger.warn({ purpose, reason: error.message, unsaid }, 'broker connection error');
    quietUntil = now + QUIET_MS;
    unsaid = 0;
  });
}
