/** Where the transport tells what happened; a pino logger fits. */
export interface QueueLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Where the transport is measured. Every method is on the hot path, so none may be slow or throw. */
export interface QueueObserver {
  /** A job left, carrying so many requests. */
  batchSent(lane: string, size: number): void;
  /** A caller has its answer, or has given up waiting. */
  replied(contract: string, outcome: 'ok' | 'error' | 'timeout', seconds: number): void;
  /** A worker took a job after it had lain in the queue for so long. */
  jobStarted(lane: string, size: number, queuedSeconds: number): void;
  /** A handler finished, or its request was dropped because nobody waits any more. */
  handled(contract: string, outcome: 'ok' | 'error' | 'dropped', seconds: number): void;
  /** Something was put aside for a person to look at. */
  parked(lane: string): void;
}

export const noObserver: QueueObserver = {
  batchSent: () => undefined,
  replied: () => undefined,
  jobStarted: () => undefined,
  handled: () => undefined,
  parked: () => undefined,
};
