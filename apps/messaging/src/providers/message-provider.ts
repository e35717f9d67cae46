import type { DeliveryText, Reason } from '@gangan/contracts';
import type { Channel, OrganisationMode } from '@gangan/database';
import type { Cost, CountPages, CreditSource, PolledState } from '@gangan/providers';

export interface Submission extends DeliveryText {
  /** The delivery's id: the same on every attempt, and the key for `ask`. */
  readonly reference: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly recipient: string;
  /** The parts into which the text is divided. */
  readonly pages: number;
  /** Set for a test organisation: the simulator shows it what it was given. */
  readonly testOrganisationId?: string;
}

/**
 * The result of one submission.
 * - `accepted`: a carrier has it. Delivery reports use this provider reference, or the delivery's id. The cost is what the
 *   provider charges for it, if that is known.
 * - `rejected`: the recipient cannot be reached; it was given to no carrier.
 * - `failed`: the carrier refused it, and other carriers would too.
 * - `transient`: it was not accepted; another provider, or the same one later, may accept it. With the cause `refused`
 *   only another one may: it is final if the route has no other. With the cause `quiet` the same one takes it again after
 *   `retryInMs`, when its quiet hours have ended. With any other `cause` the provider takes no messages at
 *   the moment: we send too fast, to all (`throttled`) or to this recipient (`pair`), or our account is at fault. Then it is
 *   tried until the validity period ends, however many attempts that takes.
 * - `unknown`: it may have been accepted.
 */
export type SubmitResult = (
  | {
      readonly kind: 'accepted';
      readonly providerReference: string | undefined;
      /** The references of the other parts, if the provider reports each part of a long message on its own. */
      readonly furtherReferences?: readonly string[];
      readonly cost?: Cost | undefined;
    }
  | { readonly kind: 'rejected' | 'failed'; readonly reason: Reason }
  | {
      readonly kind: 'transient';
      readonly reason: Reason;
      readonly cause?: 'refused' | 'quiet' | 'throttled' | 'pair' | 'account';
      /** When the provider may take the message. Older ones wait longer: many may have the same recipient. */
      readonly retryInMs?: number;
      /** For how long the provider wants no messages at all. */
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'unknown'; readonly reason?: Reason }
) & {
  /** The same for all messages of one request; absent if each message has its own. */
  readonly request?: number;
};

/** The result of asking about one reference. `not_found`: the provider never accepted a message with it. */
export type AskResult = SubmitResult | { readonly kind: 'not_found' };

/**
 * What follows a submission without an answer.
 * - `wait`: it waits for its report.
 * - `resend`: the same provider gets it again.
 * - `next`: the next provider gets it; the same one, if the route has no other that is available.
 */
export type IfUnanswered = 'wait' | 'resend' | 'next';

/**
 * Hands messages to carriers. An exception means that the outcome of the whole call is unknown. A provider must send
 * nothing after the signal has aborted. Delivery reports go to `ReportsService.receive`.
 */
export interface MessageProvider {
  /** Stored with each delivery; references and reports belong to this name. */
  readonly name: string;
  readonly channels: readonly Channel[];
  /** Recipients per second over all workers; absent: `DELIVERY_PROVIDER_RATE`. */
  readonly rate?: number;
  /** How many recipients it may get at once, as a part of the rate; absent: 1, those of a second. */
  readonly burst?: number;
  /** Calls that one worker has in flight; absent: `DELIVERY_PROVIDER_WINDOW`. */
  readonly window?: number;
  /** Submissions of one call at most; absent: as many as a chunk has. */
  readonly batchSize?: number;
  /** What follows a submission without an answer, if the provider cannot be asked; absent: `resend`. */
  readonly ifUnanswered?: IfUnanswered;
  /** Absent if the provider cannot be asked for our credit. */
  readonly credit?: CreditSource;
  /** Absent if it counts pages as we do. */
  readonly countPages?: CountPages | undefined;
  /** Absent if the provider is not asked for the state of messages that it accepted. */
  readonly poll?: PollSource;
  /** Returns the results in the order of the submissions. */
  submit(submissions: readonly Submission[], signal: AbortSignal): Promise<readonly SubmitResult[]>;
  /** Returns the results in the order of the references. Absent if the provider cannot be asked. */
  ask?(references: readonly string[], signal: AbortSignal): Promise<readonly AskResult[]>;
}

/** A provider that can be asked for the state of messages by its own references. */
export interface PollSource {
  /** The time from the acceptance of a message to the first request. */
  readonly afterMs: number;
  /** Messages a second, over all workers. */
  readonly perSecond: number;
  /** Returns the states in the order of the references. Never fails. */
  ask(references: readonly string[], signal: AbortSignal): Promise<readonly PolledState[]>;
}

/** The provider of test organisations. It is no row. */
export const simulatorName = 'simulator';

/** The part of a submission that depends on its organisation. */
export const shownTo = ({
  mode,
  organisationId,
}: {
  readonly mode: OrganisationMode;
  readonly organisationId: string;
}): Pick<Submission, 'testOrganisationId'> => (mode === 'test' ? { testOrganisationId: organisationId } : {});
