import type { DeliveryText } from '@gangan/contracts';
import type { Channel } from '@gangan/database';

/** What a provider is asked to send to one recipient. */
export interface Submission extends DeliveryText {
  /** Ours, the delivery's id: the same on every attempt, and what the provider may be asked by. */
  readonly reference: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly recipient: string;
}

/** Why something did not go as it should: a code for programs, a sentence for people. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * What became of handing one message over.
 * - `accepted`: a carrier has it. What becomes of it is reported under this reference, or under ours.
 * - `rejected`: the provider knows that it can reach nobody, and gave it to no carrier.
 * - `failed`: the carrier refused it, and another would too.
 * - `transient`: it was surely not taken; another provider, or the same one later, may take it.
 * - `unknown`: it may have been taken.
 */
export type Answer =
  | { readonly kind: 'accepted'; readonly providerReference: string | undefined }
  | { readonly kind: 'rejected' | 'failed' | 'transient'; readonly reason: Reason }
  | { readonly kind: 'unknown'; readonly reason?: Reason };

/** What came of asking. `unheard`: the provider is sure that it never took a message with this reference. */
export type Inquiry = Answer | { readonly kind: 'unheard' };

/**
 * Somebody who hands messages to carriers. Whatever is thrown means that the outcome of the whole call is unknown.
 * Nothing may be sent once the signal has aborted. What becomes of a message later goes to `Reports.receive`.
 */
export interface MessageProvider {
  /** Kept with each delivery: questions and reports are matched by it. */
  readonly name: string;
  readonly channels: readonly Channel[];
  /** Answers in the order of the submissions. */
  submit(submissions: readonly Submission[], signal: AbortSignal): Promise<readonly Answer[]>;
  /** Left out by those who cannot be asked. Answers in the order of the references. */
  ask?(references: readonly string[], signal: AbortSignal): Promise<readonly Inquiry[]>;
}
