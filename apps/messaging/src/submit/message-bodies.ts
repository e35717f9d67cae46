import type { DeliveryText } from '@gangan/contracts';
import { Database, type RowOf, sql, statement, t } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { obsolete, unreadable, verified } from '../outcome/reasons.js';
import type { Reason } from '../providers/message-provider.js';
import { contentColumns, contentShape, MessageTexts } from '../text/message-text.js';
import type { ClaimedDelivery } from './claims.repository.js';
import { SealedBodies } from './sealed-bodies.js';

/** The text and the sender for a provider, or why the delivery can no longer be sent. */
export type MessageBody =
  (DeliveryText & { readonly sender: string }) | { readonly unsendableReason: Reason };

type BodyOfDelivery = readonly [string, MessageBody];

const findMessages = statement(
  { id: t.uuid, sender: t.text, trackable: t.bool, ...contentShape },
  (ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id, sender, trackable, ${contentColumns} FROM message WHERE id = named.id LIMIT 1) found`,
);

const findLinkCodes = statement(
  { id: t.uuid, codes: t.array(t.text) },
  (deliveryIds: readonly string[]) => sql`
    SELECT named.id, found.codes FROM unnest(${deliveryIds}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT array_agg(code ORDER BY position) AS codes FROM tracked_link WHERE delivery_id = named.id) found
    WHERE found.codes IS NOT NULL`,
);

/** OTPs that are sent (1) with enough time left to read and enter them, or verified (2). */
const findOtps = statement(
  { id: t.uuid, sender: t.text, isVerified: t.bool },
  (ids: readonly (string | null)[]) => sql`
    SELECT named.id, found.sender, found.is_verified AS "isVerified" FROM unnest(${ids}::uuid[]) AS named (id)
    CROSS JOIN LATERAL (
      SELECT default_sender AS sender, otp.status = 2 AS is_verified
      FROM otp JOIN organisation ON organisation.id = otp.organisation_id
      WHERE otp.id = named.id AND (otp.status = 2 OR otp.status = 1
          AND expires_at - now() > least(interval '1 minute', (expires_at - placed_at) / 2)) LIMIT 1) found`,
);

@Injectable()
export class MessageBodies {
  constructor(
    private readonly database: Database,
    private readonly texts: MessageTexts,
    private readonly sealed: SealedBodies,
    private readonly logger: AppLogger,
  ) {}

  /** The bodies, by delivery id. */
  async build(deliveries: readonly ClaimedDelivery[]): Promise<ReadonlyMap<string, MessageBody>> {
    const isOtp = ({ trafficClass }: ClaimedDelivery) => trafficClass === 'otp';
    return new Map([
      ...(await this.buildMessages(deliveries.filter((delivery) => !isOtp(delivery)))),
      ...(await this.buildOtps(deliveries.filter(isOtp))),
    ]);
  }

  private async buildMessages(deliveries: readonly ClaimedDelivery[]): Promise<BodyOfDelivery[]> {
    if (deliveries.length === 0) return [];
    const ids = new Set(deliveries.flatMap(({ messageId }) => messageId ?? []));
    const rows = await this.database.run(findMessages, [...ids]);
    const messages = new Map(rows.map((row) => [row.id, row]));
    const tracked = deliveries.filter(({ messageId }) => messages.get(messageId ?? '')?.trackable);
    const trackedIds = tracked.map(({ id }) => id);
    const links = tracked.length > 0 ? await this.database.run(findLinkCodes, trackedIds) : [];
    const codes = new Map(links.map((link) => [link.id, link.codes]));
    return deliveries.map((delivery) => {
      const message = messages.get(delivery.messageId ?? '');
      if (!message) return [delivery.id, { unsendableReason: unreadable }];
      const content = this.texts.textFor(message, delivery, codes.get(delivery.id));
      return [delivery.id, { ...content, sender: message.sender }];
    });
  }

  private async buildOtps(deliveries: readonly ClaimedDelivery[]): Promise<BodyOfDelivery[]> {
    if (deliveries.length === 0) return [];
    const ids = deliveries.map(({ otpId }) => otpId);
    const rows = await this.database.run(findOtps, ids);
    const otps = new Map(rows.map((row) => [row.id, row]));
    return deliveries.map((delivery) => [
      delivery.id,
      this.buildOtp(delivery, otps.get(delivery.otpId ?? '')),
    ]);
  }

  private buildOtp(delivery: ClaimedDelivery, otp?: RowOf<typeof findOtps>): MessageBody {
    if (!otp) return { unsendableReason: obsolete };
    if (otp.isVerified) return { unsendableReason: verified };
    try {
      const content = JSON.parse(this.sealed.open(delivery)) as DeliveryText;
      return { ...content, sender: otp.sender };
    } catch (error) {
      this.logger.error({ delivery: delivery.id, reason: String(error) }, 'could not open a sealed text');
      return { unsendableReason: unreadable };
    }
  }
}
