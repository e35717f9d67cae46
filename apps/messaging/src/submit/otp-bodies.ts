import type { DeliveryText } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import type { Reason } from '../providers/message-provider.js';
import type { Held } from './delivery.js';
import { obsolete, unreadable, verified } from '../outcome/reasons.js';

/** What a recipient is to read and from whom; or why nobody can prepare it any more. */
export type Prepared = (DeliveryText & { readonly sender: string }) | { readonly obstacle: Reason };

interface Found {
  readonly id: string;
  readonly sender: string;
  readonly isVerified: boolean;
}

/** Opens the sealed texts of OTPs, unless the OTP has ended meanwhile: then nobody needs it any more. */
@Injectable()
export class OtpLetters {
  constructor(
    private readonly database: Database,
    private readonly sealer: TextSealer,
    private readonly logger: AppLogger,
  ) {}

  async of(held: readonly Held[]): Promise<ReadonlyMap<string, Prepared>> {
    if (held.length === 0) return new Map();
    const found = await this.find(held);
    return new Map(held.map((each) => [each.id, this.prepare(each, found.get(each.otpId ?? ''))]));
  }

  /** Sent (1) and with enough time left to be read and entered, or verified (2), with the sender of their organisation. */
  private async find(held: readonly Held[]): Promise<ReadonlyMap<string, Found>> {
    const rows = await this.database.query<Found>(sql`
      SELECT named.id, found.sender, found.is_verified AS "isVerified" FROM unnest(${held.map(({ otpId }) => otpId)}::uuid[]) AS named (id)
      CROSS JOIN LATERAL (
        SELECT default_sender AS sender, otp.status = 2 AS is_verified FROM otp JOIN organisation ON organisation.id = otp.organisation_id
        WHERE otp.id = named.id AND (otp.status = 2 OR otp.status = 1
            AND expires_at - now() > least(interval '1 minute', (expires_at - placed_at) / 2)) LIMIT 1) found`);
    return new Map(rows.map((row) => [row.id, row]));
  }

  private prepare({ id, sealedBody }: Held, otp: Found | undefined): Prepared {
    if (!otp) return { obstacle: obsolete };
    if (otp.isVerified) return { obstacle: verified };
    try {
      const text = JSON.parse(this.sealer.open(sealedBody ?? Buffer.alloc(0), id)) as DeliveryText;
      return { ...text, sender: otp.sender };
    } catch (error) {
      this.logger.error({ delivery: id, reason: String(error) }, 'a sealed text could not be opened');
      return { obstacle: unreadable };
    }
  }
}
