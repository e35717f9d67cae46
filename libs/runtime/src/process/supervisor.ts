import type { AppLogger } from '../logging/logger.js';

/** A reason not to start that a person can act on: the log shows its message without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** Turns an error of listening on a port into a `StartupError`, if it is a known one. */
export function explainListenError(error: unknown, port: number, variable: string): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new StartupError(
      `Port ${port} is taken by another process: stop that one, or set ${variable} to a free port`,
    );
  if (code === 'EACCES')
    return new StartupError(`This user may not listen on port ${port}: set ${variable} to a port above 1023`);
  return error;
}

/**
 * Calls `stop` at each request to stop. If the supervisor dies, its channel closes, and the process stops too. Ctrl-C
 * reaches the process and its supervisor, which then sends its own signal: two different reasons are one request.
 */
export function onStopRequest(stop: (reason: string) => void): void {
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.once('disconnect', () => {
    stop('the supervisor is gone');
  });
}

/** After an uncaught error the state of the process is unknown, so it exits. */
export function onCrash(logger: AppLogger, exit: (code: number) => void): void {
  const crash = (message: string) => (error: unknown) => {
    logger.fatal({ err: error instanceof Error ? error : new Error(String(error)) }, message);
    exit(1);
  };
  process.on('uncaughtException', crash('uncaught exception'));
  process.on('unhandledRejection', crash('unhandled rejection'));
}

/** Reports configuration faults to the supervisor, if there is one; it prints those of all apps together. */
export async function reportFaults(faults: readonly string[]): Promise<void> {
  if (!process.connected) return;
  await new Promise((sent) => process.send?.({ type: 'misconfigured', faults }, sent));
}

export function reportReady(
  name: string,
  ports: { readonly port?: number; readonly metricsHost: string; readonly metricsPort: number },
): void {
  process.send?.({ type: 'ready', name, ...ports });
}
