import type { DeliveryText, Reason } from '@gangan/contracts';
import type { Channel, OrganisationMode } from '@gangan/database';
import type { Cost, CreditSource } from '@gangan/providers';

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
 *   only another one may: it is final if the route has no other. With any other `cause` the provider takes no messages at
 *   the moment: we send too fast, to all (`throttled`) or to this recipient (`pair`), or our account is at fault. Then it is
 *   tried until the validity period ends, however many attempts that takes.
 * - `unknown`: it may have been accepted.
 */
export type SubmitResult = (
  | {
      readonly kind: 'accepted';
      readonly providerReference: string | undefined;
      /** Of the other parts, if the provider reports each part of a long message on its own. */
      readonly furtherReferences?: readonly string[];
      readonly cost?: Cost | undefined;
    }
  | { readonly kind: 'rejected' | 'failed'; readonly reason: Reason }
  | {
      readonly kind: 'transient';
      readonly reason: Reason;
      readonly cause?: 'refused' | 'throttled' | 'pair' | 'account';
      /** When the provider may take it. Older messages wait longer, because many may wait for the same recipient. */
      readonly retryInMs?: number;
    }
  | { readonly kind: 'unknown'; readonly reason?: Reason }
) & {
  /** The same for all messages of one request; absent if each message has its own. */
  readonly request?: number;
};

/** The result of asking about one reference. `not_found`: the provider never accepted a message with it. */
export type AskResult = SubmitResult | { readonly kind: 'not_found' };

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
  /** A submission without an answer is not submitted again: it waits for its report. Only if it cannot be asked. */
  readonly waitsIfUnanswered?: boolean;
  /** Absent if the provider cannot be asked for our credit. */
  readonly credit?: CreditSource;
  /** Returns the results in the order of the submissions. */
  submit(submissions: readonly Submission[], signal: AbortSignal): Promise<readonly SubmitResult[]>;
  /** Returns the results in the order of the references. Absent if the provider cannot be asked. */
  ask?(references: readonly string[], signal: AbortSignal): Promise<readonly AskResult[]>;
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
