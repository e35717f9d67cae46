import { command, Database, shareStatement, sql, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { deliveryFailedAt, otpColumns, type OtpRow, otpShape, otpSource } from './otp-record.js';

export interface OtpKey {
  readonly id: string;
  readonly organisationId: string;
}

const currentTime = sql`date_trunc('milliseconds', now())`;

const findOtps = statement(
  { position: t.bigint, ...otpShape },
  (ids: readonly string[], organisationIds: readonly string[]) => sql`
    SELECT asked.position, otp.*
    FROM unnest(${ids}::uuid[], ${organisationIds}::uuid[]) WITH ORDINALITY AS asked (id, organisation_id, position)
    CROSS JOIN LATERAL (
      SELECT ${otpColumns} FROM ${otpSource}
      WHERE otp.id = asked.id AND otp.organisation_id = asked.organisation_id LIMIT 1) otp`,
);

const listOtps = statement(
  otpShape,
  (organisationId: string, recipient: string, limit: number | null) => sql`
    SELECT ${otpColumns} FROM ${otpSource} WHERE organisation_id = ${organisationId} AND recipient = ${recipient}
    ORDER BY placed_at DESC, id DESC LIMIT ${limit}::bigint`,
);

const revokeOtp = command(
  ({ id, organisationId }: OtpKey) => sql`
    UPDATE otp SET status = 5, updated_at = ${currentTime}
    WHERE id = ${id} AND organisation_id = ${organisationId} AND status = 1 AND expires_at > ${currentTime}
      AND ${deliveryFailedAt} IS NULL`,
);

const failOtp = command(
  ({ id, organisationId }: OtpKey, deliveryId: string) => sql`
    UPDATE otp SET status = 4, updated_at = coalesce(${deliveryFailedAt}, ${currentTime})
    WHERE id = ${id} AND organisation_id = ${organisationId} AND status = 1 AND expires_at > ${currentTime}
      AND EXISTS (SELECT FROM delivery WHERE delivery.id = ${deliveryId} AND otp_id = otp.id)`,
);

@Injectable()
export class OtpRepository {
  readonly find = shareStatement(
    async (keys: readonly OtpKey[]): Promise<(OtpRow | undefined)[]> => {
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

  /** Has no effect on an OTP that has ended. */
  async markUndeliverable(key: OtpKey, deliveryId: string): Promise<void> {
    await this.database.run(failOtp, key, deliveryId);
  }
}
