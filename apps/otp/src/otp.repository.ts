import { Database, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { givenUpAt } from './given-up.js';
import { otpColumns, type OtpRow, otps } from './otp-record.js';

export interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

export interface OfRecipient {
  readonly organisationId: string;
  readonly recipient: string;
  readonly limit: number | undefined;
}

const atOnce = sql`date_trunc('milliseconds', now())`;

@Injectable()
export class OtpRepository {
  private readonly otps = new StatementLoader((asked: readonly Owned[]) => this.findAll(asked), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  async find(owned: Owned): Promise<OtpRow | undefined> {
    return (await this.otps.load(owned)).found;
  }

  /** Newest first. */
  list({ organisationId, recipient, limit }: OfRecipient): Promise<OtpRow[]> {
    return this.database.query<OtpRow>(sql`
      SELECT ${otpColumns} FROM ${otps} WHERE organisation_id = ${organisationId} AND recipient = ${recipient}
      ORDER BY placed_at DESC, id DESC LIMIT ${limit ?? null}::bigint`);
  }

  /** Only one that could still be verified. */
  async revoke({ id, organisationId }: Owned): Promise<void> {
    await this.database.execute(sql`
      UPDATE otp SET status = 5, updated_at = ${atOnce}
      WHERE id = ${id} AND organisation_id = ${organisationId} AND status = 1 AND expires_at > ${atOnce}
        AND ${givenUpAt} IS NULL`);
  }

  /** Only while it could still be verified: a report that comes late takes nothing back. */
  async markUndeliverable({ id, organisationId }: Owned, deliveryId: string): Promise<void> {
    await this.database.execute(sql`
      UPDATE otp SET status = 4, updated_at = coalesce(${givenUpAt}, ${atOnce})
      WHERE id = ${id} AND organisation_id = ${organisationId} AND status = 1 AND expires_at > ${atOnce}
        AND EXISTS (SELECT FROM delivery WHERE delivery.id = ${deliveryId} AND otp_id = otp.id)`);
  }

  private async findAll(asked: readonly Owned[]): Promise<{ found: OtpRow | undefined }[]> {
    const rows = await this.database.query<OtpRow & { place: bigint }>(sql`
      SELECT asked.place, otp.*
      FROM unnest(${asked.map(({ id }) => id)}::uuid[],
        ${asked.map(({ organisationId }) => organisationId)}::uuid[]) WITH ORDINALITY AS asked (id, organisation_id, place)
      CROSS JOIN LATERAL (
        SELECT ${otpColumns} FROM ${otps}
        WHERE otp.id = asked.id AND otp.organisation_id = asked.organisation_id LIMIT 1) otp`);
    const byPlace = new Map(rows.map(({ place, ...row }) => [Number(place) - 1, row]));
    return asked.map((_, place) => ({ found: byPlace.get(place) }));
  }
}
