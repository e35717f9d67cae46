import { command, Database, shareStatement, type Sql, sql, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import {
  deliveryFailedAt,
  detailsShape,
  otpColumns,
  type OtpDetailsRow,
  type OtpRow,
  otpSends,
  otpShape,
  otpSource,
} from './otp-record.js';

export interface OtpKey {
  readonly id: string;
  readonly organisationId: string;
}

/**
 * That the `otp` row in scope is this one. IS TRUE keeps the organisation from being an index condition: a plan that was
 * made while the table was small could read all OTPs of an organisation to find one.
 */
export const isOtp = ({ id, organisationId }: OtpKey): Sql =>
  sql`otp.id = ${id} AND (otp.organisation_id = ${organisationId}) IS TRUE`;

const currentTime = sql`date_trunc('milliseconds', now())`;

const findOtps = statement(
  { position: t.bigint, ...detailsShape },
  (ids: readonly string[], organisationIds: readonly string[]) => sql`
    SELECT asked.position, otp.*
    FROM unnest(${ids}::uuid[], ${organisationIds}::uuid[]) WITH ORDINALITY AS asked (id, organisation_id, position)
    CROSS JOIN LATERAL (
      SELECT ${otpColumns}, ${otpSends} AS sends FROM ${otpSource}
      WHERE otp.id = asked.id AND otp.organisation_id = asked.organisation_id LIMIT 1) otp`,
);

const listOtps = statement(
  otpShape,
  (organisationId: string, recipient: string, limit: number | null) => sql`
    SELECT ${otpColumns} FROM ${otpSource} WHERE organisation_id = ${organisationId} AND recipient = ${recipient}
    ORDER BY placed_at DESC, id DESC LIMIT ${limit}::bigint`,
);

const revokeOtp = command(
  (key: OtpKey) => sql`
    UPDATE otp SET status = 5, updated_at = ${currentTime}
    WHERE ${isOtp(key)} AND status = 1 AND expires_at > ${currentTime}
      AND ${deliveryFailedAt} IS NULL`,
);

@Injectable()
export class OtpRepository {
  readonly find = shareStatement(
    async (keys: readonly OtpKey[]): Promise<(OtpDetailsRow | undefined)[]> => {
      const rows = await this.database.run(
        findOtps,
        keys.map(({ id }) => id),
        keys.map(({ organisationId }) => organisationId),
      );
      const byPosition = new Map(rows.map(({ position, ...row }) => [Number(position) - 1, row]));
      return keys.map((_, index) => byPosition.get(index));
    },
    { readOnly: true },
  );

  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(organisationId: string, recipient: string, limit?: number): Promise<OtpRow[]> {
    return this.database.run(listOtps, organisationId, recipient, limit ?? null);
  }

  /** Has no effect on an OTP that has ended. */
  async revoke(key: OtpKey): Promise<void> {
    await this.database.run(revokeOtp, key);
  }
}
