import { type OtpRecord, type OtpStatus, otpStatusName, formatTimestamp } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { givenUpAt } from './given-up.js';

/** An OTP as it is read. */
export interface OtpRow {
  readonly id: string;
  readonly recipientGiven: string;
  readonly status: OtpStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** That one has expired or was given up shows on reading: nobody need have written it down. */
export const otpColumns = sql`
  otp.id, recipient_given AS "recipientGiven", otp.created_at AS "createdAt",
  CASE WHEN otp.status <> 1 THEN otp.status WHEN given_up.at IS NOT NULL THEN 4 WHEN expires_at <= now() THEN 3
       ELSE 1 END AS status,
  CASE WHEN otp.status <> 1 THEN otp.updated_at WHEN given_up.at IS NOT NULL THEN given_up.at
       WHEN expires_at <= now() THEN expires_at ELSE otp.updated_at END AS "updatedAt"`;

/** Where these columns are. */
export const otps = sql`otp CROSS JOIN LATERAL (SELECT ${givenUpAt} AS at OFFSET 0) given_up`;

export const otpRecord = ({ id, recipientGiven, status, createdAt, updatedAt }: OtpRow): OtpRecord => ({
  id,
  recipient: recipientGiven,
  status,
  status_desc: otpStatusName(status),
  created_datetime: formatTimestamp(createdAt),
  ...(updatedAt !== null && { updated_datetime: formatTimestamp(updatedAt) }),
});
