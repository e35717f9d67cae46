import { type OtpRecord, type OtpStatus, otpStatusName, timestampOf } from '@gangan/contracts';
import { sql } from '@gangan/database';

/** An OTP as it is read. */
export interface OtpRow {
  readonly id: string;
  readonly recipientGiven: string;
  readonly status: OtpStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** That one has expired shows on reading: nobody writes it down. */
export const otpColumns = sql`
  otp.id, recipient_given AS "recipientGiven", otp.created_at AS "createdAt",
  CASE WHEN status = 1 AND expires_at <= now() THEN 3 ELSE status END AS status,
  CASE WHEN status = 1 AND expires_at <= now() THEN expires_at ELSE otp.updated_at END AS "updatedAt"`;

export const otpRecord = ({ id, recipientGiven, status, createdAt, updatedAt }: OtpRow): OtpRecord => ({
  id,
  recipient: recipientGiven,
  status,
  status_desc: otpStatusName(status),
  created_datetime: timestampOf(createdAt),
  ...(updatedAt !== null && { updated_datetime: timestampOf(updatedAt) }),
});
