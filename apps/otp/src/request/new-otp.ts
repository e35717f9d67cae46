import type { Channel } from '@gangan/contracts';
import { type Sql, sql, unnest } from '@gangan/database';
import { dueAfter, leaseGraceMs } from '@gangan/leases';
import type { SendLimits } from '../sends/send-limits.js';

export interface NewOtp {
  /** The id of the OTP and of its delivery: a repeated request finds both. */
  readonly id: string;
  readonly organisationId: string;
  readonly recipient: string;
  readonly recipientGiven: string;
  readonly channel: Channel;
  /** Separated by commas. */
  readonly fallbackChannels: string;
  /** In seconds; null without fallback channels. */
  readonly fallbackAfter: number | null;
  readonly digest: Buffer;
  readonly sealedToken: Buffer;
  readonly maxAttempts: number;
  readonly seconds: number;
  readonly sealedBody: Buffer;
  readonly pages: number;
  readonly kobo: bigint;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly limits: SendLimits;
}

/** Part of the charge statement: stores the OTPs and their deliveries. */
export const insertOtps = (otps: readonly NewOtp[]): Sql => sql`
  new_otp AS (
    SELECT id, organisation_id, recipient, recipient_given, channel, fallback_channels, fallback_after, digest,
      sealed_token, max_attempts, seconds, sealed_body, pages, request_id, created_at
    FROM ${unnest('given', otps, {
      uuid: ['id', 'organisationId'],
      text: ['recipient', 'recipientGiven', 'requestId', 'fallbackChannels'],
      channel: ['channel'],
      bytea: ['digest', 'sealedToken', 'sealedBody'],
      int: ['maxAttempts', 'pages', 'fallbackAfter'],
      float8: ['seconds'],
      timestamptz: ['createdAt'],
    })}
  ), stored AS (
    INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, fallback_channels, fallback_after, hmac,
      sealed_token, max_attempts, expires_at, due_at, charge_kobo, request_id, created_at)
    SELECT id, organisation_id, recipient, recipient_given, channel, string_to_array(fallback_channels, ',')::channel[],
      fallback_after, digest, sealed_token, max_attempts, now() + seconds * interval '1 second',
      now() + least(seconds, fallback_after) * interval '1 second', accepted.kobo, request_id, created_at
    FROM new_otp JOIN accepted ON accepted.subject_id = new_otp.id
    ON CONFLICT DO NOTHING RETURNING id, charge_kobo
  ), handed_over AS (
    INSERT INTO delivery (id, organisation_id, lane, otp_id, channel, recipient, recipient_given, next_attempt_at,
      sealed_body, pages, charge_kobo, created_at)
    SELECT id, new_otp.organisation_id, 'otp', id, channel, recipient, recipient_given, ${dueAfter(leaseGraceMs)},
      sealed_body, pages, charge_kobo, created_at
    FROM new_otp JOIN stored USING (id)
    ON CONFLICT DO NOTHING
  )`;
