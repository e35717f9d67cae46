/** A callback that a worker has in hand: what it writes down holds only while `attempt` is still the row's. */
export interface Claimed {
  readonly id: string;
  readonly organisationId: string;
  readonly host: string;
  readonly url: string;
  readonly body: string;
  readonly requestId: string;
  /** The number of this attempt. */
  readonly attempt: number;
  /** Of these, the ones before it was last sent again by hand. */
  readonly earlierAttempts: number;
  /** Every living one of the organisation. */
  readonly secrets: readonly string[];
}
