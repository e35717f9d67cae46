/** Why there was no answer: codes for the record and for metrics. */
export type FailureReason =
  'invalid_url' | 'refused_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'malformed_answer';

export interface Answered {
  readonly outcome: 'answered';
  readonly status: number;
  readonly headers: { readonly retryAfter?: string };
  /** The beginning of the answer, as it came. */
  readonly answer: Buffer;
}

export interface Failed {
  readonly outcome: 'failed';
  readonly reason: FailureReason;
  /** For the owner of the URL: it tells nothing about our own network. */
  readonly message: string;
}

/** What became of one attempt. Whatever a consumer does is a value, never an exception. */
export type Outcome = Answered | Failed;

const messages: Record<FailureReason, string> = {
  invalid_url: 'The URL cannot be called',
  refused_address: 'The URL leads to an address that is not on the public internet',
  dns: "The host's name could not be resolved",
  connect: 'No connection to the host could be made',
  tls: 'The host offered no TLS connection that can be trusted; check its certificate',
  timeout: 'There was no complete answer in time',
  reset: 'The connection was closed before the answer was complete',
  malformed_answer: 'The answer was not valid HTTP',
};

export const failed = (reason: FailureReason): Failed => ({
  outcome: 'failed',
  reason,
  message: messages[reason],
});

/** A failure on its way through code that knows only errors. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';

  constructor(readonly reason: FailureReason) {
    super(messages[reason]);
  }
}
