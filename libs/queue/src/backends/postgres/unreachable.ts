import { setTimeout as pause } from 'node:timers/promises';
import { describeError } from '@gangan/protocol';

/** A caller that repeats its call at once would otherwise connect without a pause. */
const pauseMs = 50;

/**
 * The connection was never established. BullMQ repeats what a refused connection interrupted; other errors, such as
 * those of a server that is starting, would fail the job.
 */
export class UnreachableError extends Error {
  readonly code = 'ECONNREFUSED';

  constructor(cause: unknown) {
    super(describeError(cause), { cause });
  }
}

interface Connector {
  readonly closing: boolean;
  /** BullMQ emits no `error` for an unreachable server, so the reason has to be logged here. */
  report(error: unknown): void;
}

/** @returns the error with which a failed attempt to connect is rejected, after a pause */
export async function refusalOf(error: unknown, connector: Connector): Promise<Error> {
  if (!connector.closing) {
    connector.report(error);
    await pause(pauseMs);
  }
  // A closed connector never connects again, so BullMQ must not repeat the call.
  return connector.closing ? (error as Error) : new UnreachableError(error);
}
