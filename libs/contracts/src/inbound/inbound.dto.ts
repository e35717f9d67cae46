export class ListInboundProviders {
  /** Asks for every provider that may send requests. */
  all: true;
}

/** A provider that may send requests to us. */
export class InboundProvider {
  name: string;
  /** SHA-256 of its token, and of the token before it while requests with that are still accepted. */
  tokenDigests: string[];
  /** The addresses and ranges that requests come from; any if absent. */
  addresses?: readonly string[];
  /** The size of the body at most. */
  maxBytes?: number;
  /** Whether a GET request may ask for its challenge. */
  hasHandshake: boolean;
  /** The headers with which requests are verified, in lower case. */
  headers: string[];
}

export class InboundProviderList {
  providers: InboundProvider[];
}

/** A request to `/in/{provider}/{token}` or `/in/{provider}/{token}/{reference}`. */
export class ReceiveInbound {
  method: string;
  /** The URL as the provider called it: public host, path and query. */
  url: string;
  /** The headers with which the request is verified. */
  headers: Record<string, string>;
  content_type?: string;
  body: string;
  /** How `unpackBody` restores the bytes of the body; UTF-8 if absent, `gzip` in Base64. */
  encoding?: 'latin1' | 'gzip';
}

/** What the worker did with a request of a provider. */
export class InboundReceipt {
  outcome: InboundOutcome;
  /** The text that the response has to contain. */
  challenge?: string;
}

/**
 * `stored` and `repeated` (stored before) are committed; `answered` is genuine, and nothing is stored; `forged` is not
 * genuine.
 */
export type InboundOutcome = 'stored' | 'repeated' | 'answered' | 'forged';
