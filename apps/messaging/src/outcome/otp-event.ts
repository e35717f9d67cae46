import { type NewCallback, otpCallback } from '@gangan/callbacks';
import { type FailedDeliveryStatus, failedDeliveryStatuses } from '@gangan/contracts';
import { type Channel, command, type DeliveryState, sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';

interface OtpDelivery {
  readonly organisationId: string;
  readonly otpId: string | null;
  readonly channel: Channel;
  readonly recipientGiven: string;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly requestId: string | null;
  readonly hasEndpoints: boolean;
}

export const isFailed = (state: string): state is FailedDeliveryStatus =>
  failedDeliveryStatuses.some((status) => status === state);

/** The event of an OTP whose delivery a carrier has accepted. The otp worker decides whether an OTP has failed. */
export function otpCallbacksOf(delivery: OtpDelivery, stateBefore: DeliveryState): NewCallback[] {
  const { organisationId, otpId, requestId, recipientGiven: recipient, channel, state } = delivery;
  if (otpId === null || requestId === null || !delivery.hasEndpoints) return [];
  const isNew = stateBefore === 'queued' || stateBefore === 'submitting';
  const isAccepted = state === 'sent' || state === 'delivered' || state === 'read';
  if (!isNew || !isAccepted) return [];
  const at = delivery.updatedAt ?? delivery.createdAt;
  return [otpCallback({ organisationId, otpId, requestId, recipient, channel, at, status: 'sent' })];
}

/** Lets the otp worker look at OTPs with a failed delivery. Locks them in the order of ids, as all others do. */
export const makeOtpsDue = command(
  (ids: readonly string[]) => sql`
    UPDATE otp SET due_at = ${dueNow} WHERE id = ANY (ARRAY(
      SELECT id FROM otp WHERE id = ANY (${ids}::uuid[]) AND status = 1 ORDER BY id FOR NO KEY UPDATE))`,
);
