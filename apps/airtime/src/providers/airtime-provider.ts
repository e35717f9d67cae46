import type { Network } from '@gangan/contracts';

/** What a provider is asked to do. */
export interface TopUp {
  /** Ours, the purchase's id: the provider knows the top-up by it, and can be asked about it. */
  readonly reference: string;
  readonly network: Network;
  readonly recipient: string;
  readonly kobo: bigint;
}

/** Why something is not a success: a code for programs, a sentence for people. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** What a provider knows of a top-up. */
export type Finding =
  | { readonly kind: 'success'; readonly providerReference?: string }
  | { readonly kind: 'failed'; readonly reason: Reason }
  /** Whether it was or will be done cannot be told yet. */
  | { readonly kind: 'unknown'; readonly providerReference?: string; readonly reason?: Reason };

/** What came of handing a top-up over. `unreached`: nothing was sent, so that another provider may be tried. */
export type Submission = Finding | { readonly kind: 'unreached'; readonly reason: Reason };

/** What came of asking. `unheard`: the provider is sure that it was never told of this reference. */
export type Inquiry = Finding | { readonly kind: 'unheard' };

/**
 * Somebody who tops numbers up. Whatever is thrown means that the outcome is unknown: a provider has to be sure that
 * not a byte left before it says `unreached`. Nothing may take effect once the signal has aborted: what was never
 * heard of a good while later is given back.
 */
export interface AirtimeProvider {
  /** Kept with each purchase: later questions go to whoever was told. */
  readonly name: string;
  submit(topUp: TopUp, signal: AbortSignal): Promise<Submission>;
  ask(reference: string, signal: AbortSignal): Promise<Inquiry>;
}
