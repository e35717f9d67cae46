import {
  failedDeliveryStatuses,
  formatTimestamp,
  type OtpRecord,
  type OtpStatus,
  otpStatusName,
} from '@gangan/contracts';
import { type Column, type RowOf, sql, t } from '@gangan/database';

/**
 * When the delivery of the `otp` row in scope failed, if the OTP had not ended before; otherwise null. Messaging also
 * sends an event, but an event may be lost, and a refunded OTP must not be verified.
 */
export const deliveryFailedAt = sql`(
  SELECT delivery.updated_at FROM delivery
  WHERE delivery.id = otp.id AND otp.status = 1 AND delivery.state::text = ANY (${[...failedDeliveryStatuses]}::text[])
    AND delivery.updated_at < otp.expires_at LIMIT 1)`;

/** Expiry and a failed delivery are computed on reading; they need not be stored. */
export const otpColumns = sql`
  otp.id, recipient_given AS "recipientGiven", otp.created_at AS "createdAt",
  CASE WHEN otp.status <> 1 THEN otp.status WHEN failed.at IS NOT NULL THEN 4 WHEN expires_at <= now() THEN 3
       ELSE 1 END AS status,
  CASE WHEN otp.status <> 1 THEN otp.updated_at WHEN failed.at IS NOT NULL THEN failed.at
       WHEN expires_at <= now() THEN expires_at ELSE otp.updated_at END AS "updatedAt"`;

/** The source of `otpColumns`. */
export const otpSource = sql`otp CROSS JOIN LATERAL (SELECT ${deliveryFailedAt} AS at OFFSET 0) failed`;

export const otpShape = {
  id: t.uuid,
  recipientGiven: t.text,
  status: t.int as Column<OtpStatus>,
  createdAt: t.timestamp,
  updatedAt: t.nullable(t.timestamp),
};

export type OtpRow = RowOf<{ shape: typeof otpShape }>;

export const toRecord = ({ id, recipientGiven, status, createdAt, updatedAt }: OtpRow): OtpRecord => ({
  id,
  recipient: recipientGiven,
  status,
  status_desc: otpStatusName(status),
  created_datetime: formatTimestamp(createdAt),
  ...(updatedAt !== null && { updated_datetime: formatTimestamp(updatedAt) }),
});
