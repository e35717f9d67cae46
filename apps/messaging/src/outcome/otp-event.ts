import { type NewCallback, otpCallback } from '@gangan/callbacks';
import { type FailedDeliveryStatus, failedDeliveryStatuses } from '@gangan/contracts';
import type { DeliveryState } from '@gangan/database';

interface OtpDelivery {
  readonly organisationId: string;
  readonly otpId: string | null;
  readonly recipientGiven: string;
  readonly state: DeliveryState;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Null if no endpoint is to be notified. */
  readonly requestId: string | null;
}

export const isFailed = (state: string): state is FailedDeliveryStatus =>
  failedDeliveryStatuses.some((status) => status === state);

/** The event of an OTP whose delivery has changed: a carrier accepted it, or it failed. */
export function otpCallbacksOf(delivery: OtpDelivery, stateBefore: DeliveryState): NewCallback[] {
  const { organisationId, otpId, requestId, recipientGiven: recipient, state } = delivery;
  if (otpId === null || requestId === null) return [];
  const event = { organisationId, otpId, requestId, recipient, at: delivery.updatedAt ?? delivery.createdAt };
  if (isFailed(state)) {
    const reason = { code: delivery.errorCode ?? state, message: delivery.errorMessage ?? '' };
    return [otpCallback({ ...event, status: 'failed', reason })];
  }
  const isNew = stateBefore === 'queued' || stateBefore === 'submitting';
  const isAccepted = state === 'sent' || state === 'delivered' || state === 'read';
  return isNew && isAccepted ? [otpCallback({ ...event, status: 'sent' })] : [];
}
