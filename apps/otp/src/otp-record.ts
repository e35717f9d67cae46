import {
  type Channel,
  deliveryReason,
  failedDeliveryStatuses,
  formatTimestamp,
  type OtpDetails,
  type OtpRecord,
  type OtpSend,
  type OtpStatus,
  otpStatusName,
  shownReason,
} from '@gangan/contracts';
import { type Column, type DeliveryState, type RowOf, sql, t } from '@gangan/database';

/**
 * When the last delivery of the `otp` row in scope failed, if all of them did, no fallback is left and the OTP had not
 * ended before; otherwise null. A worker stores it soon, but a refunded OTP must not be verified meanwhile.
 */
export const deliveryFailedAt = sql`(
  SELECT max(delivery.updated_at) FROM delivery
  WHERE delivery.otp_id = otp.id AND delivery.otp_id IS NOT NULL AND otp.status = 1 AND otp.fallback_channels = '{}'
  HAVING bool_and(delivery.state::text = ANY (${[...failedDeliveryStatuses]}::text[]))
    AND max(delivery.updated_at) < otp.expires_at)`;

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

/** The deliveries of the `otp` row in scope, oldest first. Times are in milliseconds. */
export const otpSends = sql`coalesce((
  SELECT json_agg(json_build_object('channel', channel, 'state', state, 'code', error_code, 'message', error_message,
    'createdMs', extract(epoch FROM created_at) * 1000, 'updatedMs', extract(epoch FROM updated_at) * 1000)
    ORDER BY id <> otp_id, created_at, id)
  FROM delivery WHERE delivery.otp_id = otp.id AND delivery.otp_id IS NOT NULL), '[]')`;

interface StoredSend {
  readonly channel: Channel;
  readonly state: Exclude<DeliveryState, 'canceled'>;
  readonly code: string | null;
  readonly message: string | null;
  readonly createdMs: number;
  readonly updatedMs: number | null;
}

export const detailsShape = { ...otpShape, sends: t.json<readonly StoredSend[]>() };

export type OtpDetailsRow = RowOf<{ shape: typeof detailsShape }>;

export const toDetails = ({ sends, ...row }: OtpDetailsRow): OtpDetails =>
  Object.assign(toRecord(row), { sends: sends.map(toSend) });

const toSend = ({ channel, state, code, message, createdMs, updatedMs }: StoredSend): OtpSend => ({
  channel,
  status: state === 'submitting' ? 'queued' : state,
  ...(state !== 'queued' && state !== 'submitting' && shownReason(code, message, deliveryReason)),
  created_datetime: formatTimestamp(new Date(createdMs)),
  ...(updatedMs !== null && { updated_datetime: formatTimestamp(new Date(updatedMs)) }),
});
