/** The log of the transport; a pino logger fits. */
export interface QueueLogger {
  /** `details` names the request if the line is not written in its context. */
  debug?(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Receives what the transport measures. Its methods are on the hot path: they must be fast and must not throw. */
export interface QueueObserver {
  /** A job with so many requests was sent. */
  batchSent(lane: string, size: number): void;
  /** A caller got its reply, or its deadline has passed. */
  replied(contract: string, outcome: 'ok' | 'error' | 'timeout', seconds: number): void;
  /** A worker started a job that had waited in the queue for so long. */
  jobStarted(lane: string, size: number, queuedSeconds: number): void;
  /** A handler finished, or its request was dropped because its deadline had passed. */
  handled(contract: string, outcome: 'ok' | 'error' | 'dropped', seconds: number): void;
  /** A job or request was parked for a person to look at. */
  parked(lane: string): void;
}

export const noObserver: QueueObserver = {
  batchSent: () => undefined,
  replied: () => undefined,
  jobStarted: () => undefined,
  handled: () => undefined,
  parked: () => undefined,
};
