import { formatTimestamp, type OtpCallbackData } from '@gangan/contracts';
import { timeOfId } from '@gangan/protocol';
import type { NewCallback } from './callbacks.js';

export interface OtpEvent extends Pick<OtpCallbackData, 'recipient' | 'channel' | 'status' | 'reason'> {
  readonly organisationId: string;
  readonly otpId: string;
  readonly requestId: string;
  readonly at: Date;
}

/** For the endpoints of an organisation that has some: the request of an OTP has no callback URL. */
export function otpCallback({ organisationId, otpId, requestId, at, ...shown }: OtpEvent): NewCallback {
  const { recipient, channel, status, reason } = shown;
  const timestamp = formatTimestamp(at);
  const data: OtpCallbackData = {
    id: otpId,
    recipient,
    channel,
    status,
    ...(reason && { reason }),
    created_datetime: formatTimestamp(timeOfId(otpId)),
    updated_datetime: timestamp,
  };
  const body = { type: `otp.${status}` as const, timestamp, data };
  return { organisationId, resourceId: otpId, requestId, url: null, hasEndpoints: true, body };
}
