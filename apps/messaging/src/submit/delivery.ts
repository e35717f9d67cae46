import type { Channel, DeliveryLane, OrganisationMode } from '@gangan/database';

/** Whose deliveries, and in which lane. */
export interface Queue {
  readonly lane: DeliveryLane;
  readonly organisationId: string;
}

/** A delivery that waits, as it was seen in passing. */
export interface Candidate {
  readonly id: string;
  readonly channel: Channel;
  readonly mode: OrganisationMode;
  readonly recipient: string;
  readonly messageId: string | null;
  /** Since it was paid for. */
  readonly ageMs: number;
  readonly attempt: number;
  /** Of the last attempt. */
  readonly provider: string | null;
  /** The last attempt has no outcome: its worker died, or its provider never answered. */
  readonly unsure: boolean;
}

/** A delivery that this worker has claimed; others leave it alone while its lease lasts. */
export interface Held {
  readonly id: string;
  readonly organisationId: string;
  readonly channel: Channel;
  readonly mode: OrganisationMode;
  readonly ageMs: number;
  readonly recipient: string;
  /** The caller's own spelling, by which it may be personalised. */
  readonly recipientGiven: string;
  /** Of a recipient from a smartlist. */
  readonly substitutions: Readonly<Record<string, string>> | null;
  readonly messageId: string | null;
  readonly otpId: string | null;
  readonly attempt: number;
  readonly provider: string;
  /** An attempt before this one had no outcome. */
  readonly unsure: boolean;
  readonly sealedBody: Buffer | null;
}

/** What belongs to no message belongs to an OTP. */
export const laneOf = ({ messageId }: Pick<Candidate, 'messageId'>): DeliveryLane =>
  messageId === null ? 'otp' : 'sms';
