import type { Network, Reason } from '@gangan/contracts';
import type { Cost, CreditSource } from '@gangan/providers';

export interface TopUp {
  /** Our reference. The provider stores it, so that the top-up can be queried by it. */
  readonly reference: string;
  readonly network: Network;
  readonly recipient: string;
  readonly kobo: bigint;
  /** The code of the data bundle; absent for airtime. */
  readonly product?: string | undefined;
}

/** A data bundle, as the provider lists it. */
export interface ProviderProduct {
  /** The code that the provider gets when the bundle is bought. Unique within its network. */
  readonly code: string;
  readonly name: string;
  readonly kobo: bigint;
}

/** Bundles by network; `undefined` if the list could not be read. */
export type ProductLists = ReadonlyMap<Network, readonly ProviderProduct[] | undefined>;

export interface TopUpQuery {
  /** The reference of the top-up. */
  readonly reference: string;
  /** The provider's reference, if known. */
  readonly providerReference: string | null;
}

/** What a provider knows about a top-up. */
export type TopUpResult =
  | { readonly kind: 'success'; readonly providerReference?: string; readonly cost?: Cost }
  | { readonly kind: 'failed'; readonly reason: Reason }
  /** The top-up may have been done, or may still be done. */
  | {
      readonly kind: 'unknown';
      readonly providerReference?: string;
      /** What the top-up costs if it is made. */
      readonly cost?: Cost;
      readonly reason?: Reason;
    };

/**
 * `not_sent`: the provider received nothing, so the next provider may be tried. `declined`: it answered that it did nothing,
 * because it does not sell this network or to this number; the next provider may be tried, and without one the purchase
 * fails. `refused`: it answered that it did nothing, because our account is at fault; the purchase waits, and may then go to
 * another provider.
 */
export type SubmitResult =
  | TopUpResult
  | { readonly kind: 'not_sent'; readonly reason: Reason }
  | { readonly kind: 'declined'; readonly reason: Reason }
  | { readonly kind: 'refused'; readonly reason: Reason };

/**
 * `not_found`: the provider does not know this reference. That is final when no submission can be in flight, and
 * `finalAfterMs` after the submission if the provider may list it late.
 */
export type QueryResult = TopUpResult | { readonly kind: 'not_found'; readonly finalAfterMs?: number };

/**
 * Tops up numbers. An exception means that the outcome is unknown: a provider returns `not_sent` only if not a single
 * byte was sent. A call must have no effect after its signal has aborted, because a reference that is still not found
 * some time later is refunded.
 */
export interface AirtimeProvider {
  /** Stored with each purchase, so that queries go to the provider that received it. */
  readonly name: string;
  /** Absent if the provider cannot be asked for our credit. */
  readonly credit?: CreditSource;
  /** Whether it tops up numbers of the network; absent: of all. */
  serves?(network: Network): boolean;
  /** Lists its data bundles, each with its price in naira; absent if it has none. */
  products?(signal: AbortSignal): Promise<ProductLists>;
  /** What a purchase costs if no answer says so; undefined if that is not known. */
  costOf?(network: Network, kobo: bigint): Cost | undefined;
  /** Our reference for a purchase that is submitted now; absent: the id of the purchase. */
  referenceFor?(purchaseId: string, now: Date): string;
  submit(topUp: TopUp, signal: AbortSignal): Promise<SubmitResult>;
  query(query: TopUpQuery, signal: AbortSignal): Promise<QueryResult>;
}
