import { erasedNumber } from '@gangan/contracts';
import { Database, type RowOf, sql, statement, t } from '@gangan/database';
import { mapInSlices } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { columnNames } from '../audience/text-bound.js';
import { groupBy } from '../grouping.js';
import { MessageTexts } from '../text/message-text.js';
import type { Substitutions } from '../text/rendering.js';
import { StoredTexts } from '../text/stored-texts.js';
import type { StoredDelivery } from './deliveries.repository.js';
import type { MessageRow } from './messages.repository.js';

const findLinks = statement(
  {
    deliveryId: t.uuid,
    code: t.text,
    url: t.nullable(t.text),
    sealedUrl: t.nullable(t.bytes),
    clicks: t.int,
    clickedAt: t.nullable(t.timestamp),
  },
  (deliveryIds: readonly string[]) => sql`
    SELECT found.* FROM unnest(${deliveryIds}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT delivery_id AS "deliveryId", code, url, sealed_url AS "sealedUrl", clicks, clicked_at AS "clickedAt"
      FROM tracked_link WHERE delivery_id = named.id ORDER BY position) AS found`,
);

type LinkRow = RowOf<typeof findLinks>;

export interface ShownLink extends Pick<LinkRow, 'clicks' | 'clickedAt'> {
  /** Undefined if it cannot be opened. */
  readonly url: string | undefined;
  readonly shortUrl: string;
}

export interface ShownDelivery extends StoredDelivery {
  /** As it is sent; undefined if it is no longer known. */
  readonly text: string | undefined;
  readonly links: readonly ShownLink[];
}

/** Builds the texts of deliveries again, to show them. */
@Injectable()
export class DeliveryTexts {
  constructor(
    private readonly database: Database,
    private readonly texts: MessageTexts,
    private readonly stored: StoredTexts,
    private readonly logger: AppLogger,
  ) {}

  /** @param message belongs to the organisation of the deliveries */
  async show(
    message: MessageRow,
    organisationId: string,
    deliveries: readonly StoredDelivery[],
  ): Promise<ShownDelivery[]> {
    const ids = deliveries.map(({ id }) => id);
    const rows = message.trackable && ids.length > 0 ? await this.database.run(findLinks, ids) : [];
    const links = groupBy(rows, ({ deliveryId }) => deliveryId);
    const hasPlaceholders = columnNames(message).length > 0;
    return mapInSlices(deliveries, (delivery) => {
      const own = links.get(delivery.id) ?? [];
      const codes = own.map(({ code }) => code);
      const substitutions = this.substitutionsOf(delivery, organisationId);
      const isGone =
        hasPlaceholders &&
        (message.smartlistId === null
          ? message.personalisation !== null && delivery.recipient === erasedNumber
          : substitutions === null);
      return {
        ...delivery,
        text: isGone ? undefined : this.texts.textFor(message, { ...delivery, substitutions }, codes).text,
        links: own.map((link) => this.showLink(link, organisationId)),
      };
    });
  }

  /** The values of a recipient of a smartlist. With `SEAL_MESSAGES` they are deleted once a provider has the text. */
  private substitutionsOf(
    { id, substitutions, sealedBody }: StoredDelivery,
    organisationId: string,
  ): Substitutions | null {
    if (sealedBody === null) return substitutions;
    return this.open(id, () => this.stored.openSubstitutions({ id, organisationId }, sealedBody)) ?? null;
  }

  private showLink({ code, url, sealedUrl, clicks, clickedAt }: LinkRow, organisationId: string): ShownLink {
    const opened = sealedUrl
      ? this.open(code, () => this.stored.openUrl(code, organisationId, sealedUrl))
      : (url ?? undefined);
    return { url: opened, shortUrl: this.texts.linkOf(code), clicks, clickedAt };
  }

  private open<T>(row: string, open: () => T): T | undefined {
    try {
      return open();
    } catch (error) {
      this.logger.error({ row, reason: String(error) }, 'could not open a sealed text');
      return undefined;
    }
  }
}
