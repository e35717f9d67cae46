import { hasEndpoints } from '@gangan/callbacks';
import type { Channel } from '@gangan/contracts';
import {
  columnsOf,
  type DeliveryState,
  isSuspended,
  type RowOf,
  type Sql,
  sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import { dueAfter } from '@gangan/leases';
import { isOtp, type OtpKey } from '../otp.repository.js';
import type { OtpProgress } from './next-step.js';

const otpShape = {
  id: t.uuid,
  organisationId: t.uuid,
  recipient: t.text,
  recipientGiven: t.text,
  channel: t.enumOf<Channel>('channel'),
  status: t.int,
  attempts: t.int,
  maxAttempts: t.int,
  now: t.from(sql`statement_timestamp()`, t.timestamp),
  placedAt: t.timestamp,
  expiresAt: t.timestamp,
  fallbackChannels: t.from('fallback_channels::text[]', t.array(t.textOf<Channel>())),
  fallbackAfter: t.nullable(t.int),
  sealedToken: t.nullable(t.bytes),
  requestId: t.text,
  isSuspended: t.from(isSuspended(sql`otp.organisation_id`), t.bool),
  hasEndpoints: t.from(hasEndpoints(sql`otp.organisation_id`), t.bool),
};

const otpColumns = columnsOf(otpShape);

const selectOtp = (key: OtpKey): Sql => sql`SELECT ${otpColumns} FROM otp WHERE ${isOtp(key)}`;

const findOtp = statement(otpShape, selectOtp);

/** Also sets a lock timeout of 200 ms for the transaction. */
const lockOtp = statement(
  otpShape,
  (key: OtpKey) => sql`
    ${selectOtp(key)} AND (SELECT set_config('lock_timeout', '200ms', true)) IS NOT NULL FOR UPDATE OF otp`,
);

/** Messaging looks for due deliveries every second. */
const overdueMs = 3_000;

/** The first send has the id of the OTP. `placed_at` is by the clock of the database, like `created_at` of further ones. */
const findSends = statement(
  {
    id: t.uuid,
    state: t.enumOf<DeliveryState>('delivery_state'),
    errorCode: t.nullable(t.text),
    errorMessage: t.nullable(t.text),
    createdAt: t.timestamp,
    updatedAt: t.nullable(t.timestamp),
    isOverdue: t.bool,
  },
  (otpId: string) => sql`
    SELECT id, state, error_code AS "errorCode", error_message AS "errorMessage", created_at AS "createdAt",
      updated_at AS "updatedAt",
      state = 'queued' AND attempt = 0 AND next_attempt_at < ${dueAfter(-overdueMs)} AS "isOverdue"
    FROM delivery WHERE otp_id = ${otpId} AND otp_id IS NOT NULL ORDER BY id <> otp_id, created_at, id`,
);

type OtpRow = RowOf<typeof findOtp>;
export type Send = RowOf<typeof findSends> & OtpProgress['sends'][number];

export interface OtpWithSends extends OtpRow, OtpProgress {
  readonly sends: readonly Send[];
}

/** Reads the OTP without a lock: it may change at once. */
export async function findOtpWithSends(runner: SqlRunner, key: OtpKey): Promise<OtpWithSends | undefined> {
  const [otp] = await runner.run(findOtp, key);
  return otp && withSends(runner, otp);
}

/** Locks the OTP until the transaction ends, then reads its sends: they are added only under this lock. */
export async function lockOtpWithSends(
  transaction: SqlRunner,
  key: OtpKey,
): Promise<OtpWithSends | undefined> {
  const [otp] = await transaction.run(lockOtp, key);
  return otp && withSends(transaction, otp);
}

async function withSends(runner: SqlRunner, otp: OtpRow): Promise<OtpWithSends> {
  const rows = await runner.run(findSends, otp.id);
  const sends = rows.map((row) => ({ ...row, placedAt: row.id === otp.id ? otp.placedAt : row.createdAt }));
  return { ...otp, sends };
}
