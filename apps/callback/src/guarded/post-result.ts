/** Why there was no response: codes for the stored attempt and for metrics. */
export type FailureReason =
  'invalid_url' | 'refused_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'malformed_answer';

export interface PostResponse {
  readonly outcome: 'answered';
  readonly status: number;
  readonly retryAfter?: string | undefined;
  /** The first bytes of the body. */
  readonly body: Buffer;
}

export interface PostFailure {
  readonly outcome: 'failed';
  readonly reason: FailureReason;
}

/** The result of one request. Errors of the other side are values, never exceptions. */
export type PostResult = PostResponse | PostFailure;

export const failed = (reason: FailureReason): PostFailure => ({ outcome: 'failed', reason });

/** Carries a failure through code that only passes on errors. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(readonly reason: FailureReason) {
    super(`The connection failed: ${reason}`);
  }
}
