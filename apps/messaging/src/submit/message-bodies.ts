import type { DeliveryText, Reason } from '@gangan/contracts';
import { Database, type RowOf, sql, statement, t } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { notSubmitted, obsolete, unreadable, verified } from '../outcome/reasons.js';
import { contentShape, MessageTexts } from '../text/message-text.js';
import type { Substitutions } from '../text/rendering.js';
import { contentColumns, type Opened, StoredTexts, storedTextShape } from '../text/stored-texts.js';
import type { ClaimedDelivery } from './claims.repository.js';
import { SealedBodies } from './sealed-bodies.js';

/** The text and the sender for a provider, or why the delivery can no longer be sent. */
export type MessageBody = (DeliveryText & { readonly sender: string }) | Unsendable;

export interface Unsendable {
  readonly unsendableReason: Reason;
  /** Its token was entered, and no other delivery has it: a carrier has delivered an earlier attempt, if there is one. */
  readonly hasArrived?: boolean;
}

type BodyOfDelivery = readonly [string, MessageBody];

const findMessages = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    sender: t.text,
    trackable: t.bool,
    ...contentShape,
    ...storedTextShape,
  },
  (ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id, organisation_id AS "organisationId", sender, trackable, ${contentColumns} FROM message WHERE id = named.id LIMIT 1) found`,
);

type OpenedMessage = Opened<RowOf<typeof findMessages>>;

const findLinkCodes = statement(
  { id: t.uuid, codes: t.array(t.text) },
  (deliveryIds: readonly string[]) => sql`
    SELECT named.id, found.codes FROM unnest(${deliveryIds}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT array_agg(code ORDER BY position) AS codes FROM tracked_link WHERE delivery_id = named.id) found
    WHERE found.codes IS NOT NULL`,
);

/** OTPs that are sent (1) with enough time left to read and enter them, or verified (2). */
const findOtps = statement(
  { id: t.uuid, sender: t.text, isVerified: t.bool, hasOneDelivery: t.bool },
  (ids: readonly (string | null)[]) => sql`
    SELECT named.id, found.sender, found.is_verified AS "isVerified", found.has_one_delivery AS "hasOneDelivery"
    FROM unnest(${ids}::uuid[]) AS named (id)
    CROSS JOIN LATERAL (
      SELECT (SELECT default_sender FROM organisation WHERE id = otp.organisation_id) AS sender,
        otp.status = 2 AS is_verified, CASE WHEN otp.status = 2 THEN (
          SELECT count(*) = 1 FROM delivery WHERE otp_id = otp.id AND otp_id IS NOT NULL) ELSE false END AS has_one_delivery
      FROM otp WHERE otp.id = named.id AND (otp.status = 2 OR otp.status = 1
          AND expires_at - now() > least(interval '1 minute', (expires_at - placed_at) / 2)) LIMIT 1) found`,
);

@Injectable()
export class MessageBodies {
  constructor(
    private readonly database: Database,
    private readonly texts: MessageTexts,
    private readonly stored: StoredTexts,
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
    // Once for each message: it may have a thousand deliveries.
    const messages = new Map(
      rows.map((row) => [row.id, this.readable(row, () => this.stored.openMessage(row, row))]),
    );
    const tracked = deliveries.filter(({ messageId }) => {
      const message = messages.get(messageId ?? '');
      return message && 'trackable' in message && message.trackable;
    });
    const trackedIds = tracked.map(({ id }) => id);
    const links = tracked.length > 0 ? await this.database.run(findLinkCodes, trackedIds) : [];
    const codes = new Map(links.map((link) => [link.id, link.codes]));
    return deliveries.map((delivery) => {
      const message = messages.get(delivery.messageId ?? '');
      if (!message) return [delivery.id, { unsendableReason: unreadable }];
      if ('unsendableReason' in message) return [delivery.id, message];
      const build = () => this.buildMessage(message, delivery, codes.get(delivery.id));
      return [delivery.id, this.readable(delivery, build)];
    });
  }

  private buildMessage(
    message: OpenedMessage,
    delivery: ClaimedDelivery,
    linkCodes: readonly string[] | undefined,
  ): MessageBody {
    const substitutions =
      delivery.sealedBody === null
        ? delivery.substitutions
        : (JSON.parse(this.sealed.open(delivery)) as Substitutions);
    const content = this.texts.textFor(message, { ...delivery, substitutions }, linkCodes);
    return { ...content, sender: message.sender };
  }

  /** The result, or that the text is unreadable if it cannot be opened. */
  private readable<T>(row: { readonly id: string }, open: () => T): T | Unsendable {
    try {
      return open();
    } catch (error) {
      this.logger.error({ row: row.id, reason: String(error) }, 'could not open a sealed text');
      return { unsendableReason: unreadable };
    }
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
    if (otp.isVerified) return { unsendableReason: verified, hasArrived: otp.hasOneDelivery };
    // The body is deleted when no provider gets it again; a late result, or a new route, may still lead here.
    if (delivery.sealedBody === null) return { unsendableReason: notSubmitted };
    return this.readable(delivery, () => {
      const content = JSON.parse(this.sealed.open(delivery)) as DeliveryText;
      return { ...content, sender: otp.sender };
    });
  }
}
