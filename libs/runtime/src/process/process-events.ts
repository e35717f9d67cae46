import type { AppLogger } from '../logging/app-logger.js';

/**
 * Whatever asks the process to stop. A supervisor that dies closes our channel, so that no orphan is left.
 * Ctrl-C reaches us and our supervisor, which then passes on a signal of its own: two different requests are one.
 */
export function onStopRequest(stop: (reason: string) => void): void {
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.once('disconnect', () => {
    stop('the supervisor is gone');
  });
}

/** Nothing is known about a process in which an error went past everyone, so it ends. */
export function onCrash(logger: AppLogger, exit: (code: number) => void): void {
  const crash = (what: string) => (error: unknown) => {
    logger.fatal({ err: error instanceof Error ? error : new Error(String(error)) }, what);
    exit(1);
  };
  process.on('uncaughtException', crash('an error was caught by nobody'));
  process.on('unhandledRejection', crash('a promise failed and nobody was waiting for it'));
}

/** Tells the supervisor, if there is one, which puts together what all apps have found. */
export async function announceFaults(faults: readonly string[]): Promise<void> {
  if (!process.connected) return;
  await new Promise((told) => process.send?.({ type: 'misconfigured', faults }, told));
}

/** Tells the supervisor, if there is one. */
export function announceReady(
  name: string,
  ports: { readonly port?: number; readonly metricsPort: number },
): void {
  process.send?.({ type: 'ready', name, ...ports });
}
