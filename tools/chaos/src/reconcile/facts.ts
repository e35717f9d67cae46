import type { LostAnswer } from '../faults/lost-answer.js';
import type { UnexpectedExit } from '../system/app-process.js';
import { appOf } from '../system/process-names.js';
import type { ReceivedCallback } from '../traffic/callback-receiver.js';
import type { ClientAnswer } from '../traffic/requests.js';

/** Everything that is known after a run: what clients were answered, what is stored, and what reached the outside. */
export interface Facts {
  readonly organisations: readonly OrganisationFact[];
  readonly answers: readonly ClientAnswer[];
  /** Responses that did not reach their clients. */
  readonly lostAnswers: readonly LostAnswer[];
  readonly messages: readonly MessageFact[];
  readonly deliveries: readonly DeliveryFact[];
  readonly attempts: readonly AttemptFact[];
  /** What the simulator of messages accepted, one per call and recipient. */
  readonly accepted: readonly { readonly deliveryId: string; readonly recipient: string }[];
  readonly otps: readonly OtpFact[];
  readonly purchases: readonly PurchaseFact[];
  /** The calls that the simulator of airtime received. */
  readonly topUps: readonly TopUpFact[];
  readonly contacts: readonly ContactFact[];
  readonly callbacks: readonly CallbackFact[];
  readonly received: readonly ReceivedCallback[];
  readonly ledger: readonly LedgerFact[];
  /** Of the check of the ledger in libs/billing. */
  readonly ledgerFindings: readonly string[];
  /** The faults, and what they did; without an `effect` if there was nothing to disturb. */
  readonly faults: readonly { readonly fault: string; readonly effect: string | undefined }[];
  /** Processes that ended, but not by a fault. */
  readonly exits: readonly UnexpectedExit[];
  /** When processes died or were stopped, or lost their database: a lease may then be taken over. */
  readonly disturbances: readonly Disturbance[];
  /** The lease of a delivery. */
  readonly deliveryLeaseMs: number;
  /** How long after its claim a submission can be in flight. */
  readonly deliveryInFlightMs: number;
}

export interface Disturbance {
  /** The process that was disturbed, such as `messaging-1`; `clients`, or empty for a server. */
  readonly target: string;
  readonly began: Date;
  readonly ended: Date;
}

/** Postgres may execute a statement that a process sent before it was killed; the attempt that it claims begins after the kill. */
const lastStatementMs = 3_000;

/**
 * Whether the process or the servers that it needs were disturbed in this time.
 *
 * @param who a process such as `messaging-1`, or an app: any of its processes
 */
export const isDisturbed = (
  { disturbances }: Pick<Facts, 'disturbances'>,
  who: string,
  from: Date,
  to: Date,
): boolean =>
  disturbances.some(
    ({ target, began, ended }) =>
      (target === '' || target === who || appOf(target) === who) &&
      began <= to &&
      ended.getTime() + lastStatementMs >= from.getTime(),
  );

export interface OrganisationFact {
  readonly id: string;
  readonly startKobo: bigint;
  /** Whether it has too little money for its requests. */
  readonly runsOut: boolean;
  /** As `GET /balance` shows them at the end. */
  readonly availableKobo: bigint;
  readonly reservedKobo: bigint;
}

export interface MessageFact {
  readonly id: string;
  readonly organisationId: string;
  readonly externalRef: string | null;
  readonly chargeKobo: bigint;
  readonly isSmartlist: boolean;
}

export interface DeliveryFact {
  readonly id: string;
  readonly organisationId: string;
  readonly messageId: string | null;
  readonly otpId: string | null;
  readonly recipient: string;
  readonly state: string;
  readonly errorCode: string | null;
  readonly refunded: boolean;
  readonly chargeKobo: bigint;
  /** How many workers died in a row while they held it; 0 when an attempt has an outcome. */
  readonly workerDeaths: number;
}

export interface AttemptFact {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly outcome: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface OtpFact {
  readonly id: string;
  readonly organisationId: string;
  readonly chargeKobo: bigint;
  /** How many verifications were stored as successful. */
  readonly verified: number;
}

export interface PurchaseFact {
  readonly id: string;
  readonly organisationId: string;
  readonly externalRef: string | null;
  readonly recipient: string;
  readonly state: string;
  readonly errorCode: string | null;
  readonly refunded: boolean;
  readonly kobo: bigint;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface TopUpFact {
  readonly purchaseId: string;
  readonly recipient: string;
  readonly kobo: bigint;
  readonly outcome: string;
}

export interface ContactFact {
  readonly id: string;
  readonly organisationId: string;
  /** By column id. */
  readonly cells: Readonly<Record<string, string>>;
}

export interface CallbackFact {
  readonly id: string;
  readonly organisationId: string;
  readonly type: string;
  readonly resourceId: string;
  readonly deliveryId: string | null;
  readonly state: string;
}

/** What moved in or out of a wallet, or between reserved and revenue. */
export interface LedgerFact {
  readonly kind: string;
  readonly subjectId: string;
  readonly kobo: bigint;
}

/** A promise that was broken. */
export interface Violation {
  readonly check: string;
  /** What is affected: a key, or the id of a row. */
  readonly subject: string;
  readonly message: string;
}
