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
  /** Called after a job with `size` requests was sent. */
  batchSent(lane: string, size: number): void;
  /** Called after a caller got its reply, or after its deadline has passed. */
  replied(contract: string, outcome: 'ok' | 'error' | 'timeout', seconds: number): void;
  /** Called when a worker starts a job that has waited in the queue for `queuedSeconds`. */
  jobStarted(lane: string, size: number, queuedSeconds: number): void;
  /** Called after a handler finished, or after its request was dropped because the deadline had passed. */
  handled(contract: string, outcome: 'ok' | 'error' | 'dropped', seconds: number): void;
  /** Called after a job or request was parked for a person to look at. */
  parked(lane: string): void;
}

export const noObserver: QueueObserver = {
  batchSent: () => undefined,
  replied: () => undefined,
  jobStarted: () => undefined,
  handled: () => undefined,
  parked: () => undefined,
};
