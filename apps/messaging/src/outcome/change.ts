import type { Channel, DeliveryLane, DeliveryState } from '@gangan/database';
import { sql } from '@gangan/database';

/** A delivery whose state has just changed. */
export interface Change {
  readonly id: string;
  readonly organisationId: string;
  readonly lane: DeliveryLane;
  readonly messageId: string | null;
  readonly otpId: string | null;
  readonly channel: Channel;
  readonly recipientGiven: string;
  readonly state: DeliveryState;
  readonly kobo: bigint;
  readonly refunded: boolean;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
  /** Null while nobody outside would see a difference. */
  readonly updatedAt: Date | null;
}

/** Of an `UPDATE delivery`. */
export const changeColumns = sql`
  delivery.id, delivery.organisation_id AS "organisationId", delivery.lane, delivery.message_id AS "messageId",
  delivery.otp_id AS "otpId", delivery.channel, delivery.recipient_given AS "recipientGiven", delivery.state,
  delivery.charge_kobo AS kobo, delivery.refunded, delivery.error_code AS "errorCode",
  delivery.error_message AS "errorMessage", delivery.created_at AS "createdAt", delivery.updated_at AS "updatedAt"`;

type Reported = 'sent' | 'delivered' | 'undelivered' | 'failed' | 'expired' | 'rejected';

/** To the outside there is a change only when a carrier has it, or when it has ended. */
export const isNews = (change: Change): change is Change & { state: Reported } =>
  change.state !== 'queued' && change.state !== 'submitting';
