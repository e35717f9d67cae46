import type { Network } from '@gangan/contracts';

export interface TopUp {
  /** The id of the purchase. The provider stores it, so that the top-up can be queried by it. */
  readonly reference: string;
  readonly network: Network;
  readonly recipient: string;
  readonly kobo: bigint;
}

/** Why a purchase did not succeed: a code for programs, a sentence for people. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** What a provider knows about a top-up. */
export type TopUpResult =
  | { readonly kind: 'success'; readonly providerReference?: string }
  | { readonly kind: 'failed'; readonly reason: Reason }
  /** The top-up may have been done, or may still be done. */
  | { readonly kind: 'unknown'; readonly providerReference?: string; readonly reason?: Reason };

/** `not_sent`: the provider received nothing, so the next provider may be tried. */
export type SubmitResult = TopUpResult | { readonly kind: 'not_sent'; readonly reason: Reason };

/** `not_found`: the provider is certain that it never received this reference. */
export type QueryResult = TopUpResult | { readonly kind: 'not_found' };

/**
 * Tops up numbers. An exception means that the outcome is unknown: a provider returns `not_sent` only if not a single
 * byte was sent. A call must have no effect after its signal has aborted, because a reference that is still not found
 * some time later is refunded.
 */
export interface AirtimeProvider {
  /** Stored with each purchase, so that queries go to the provider that received it. */
  readonly name: string;
  submit(topUp: TopUp, signal: AbortSignal): Promise<SubmitResult>;
  query(reference: string, signal: AbortSignal): Promise<QueryResult>;
}
