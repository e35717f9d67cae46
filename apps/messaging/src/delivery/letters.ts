import type { DeliveryText } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';
import { type MessageBody, MessageTexts } from '../message-text.js';
import type { Submission } from '../providers/message-provider.js';
import type { Held } from './held.js';

interface StoredMessage extends MessageBody {
  readonly id: string;
  readonly sender: string;
  readonly trackable: boolean;
}

/** Prepares what providers are given. */
@Injectable()
export class Letters {
  constructor(
    private readonly database: Database,
    private readonly texts: MessageTexts,
    private readonly sealer: TextSealer,
    private readonly logger: AppLogger,
  ) {}

  /** For deliveries of one organisation, by their ids. One that cannot be prepared, now or ever, is left out. */
  async of(held: readonly Held[]): Promise<ReadonlyMap<string, Submission>> {
    const messages = await this.messagesOf(held);
    const codes = await this.codesOf(
      held.filter(({ messageId }) => messages.get(messageId ?? '')?.trackable),
    );
    const defaultSender = await this.defaultSenderOf(held.find(({ messageId }) => messageId === null));
    const letters = new Map<string, Submission>();
    for (const each of held) {
      const message = messages.get(each.messageId ?? '');
      const text = message ? this.texts.textFor(message, each, codes.get(each.id)) : this.unsealed(each);
      if (!text) continue;
      const { id: reference, channel, recipient } = each;
      letters.set(reference, {
        ...text,
        reference,
        channel,
        recipient,
        sender: message?.sender ?? defaultSender,
      });
    }
    return letters;
  }

  private async messagesOf(held: readonly Held[]): Promise<ReadonlyMap<string, StoredMessage>> {
    const ids = [...new Set(held.flatMap(({ messageId }) => messageId ?? []))];
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<StoredMessage>(sql`
      SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
        SELECT id, sender, content, personalisation, trackable, template_provider_name AS "templateProviderName",
          template_language AS "templateLanguage", template_variables AS "templateVariables"
        FROM message WHERE id = named.id LIMIT 1) found`);
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async codesOf(held: readonly Held[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (held.length === 0) return new Map();
    const rows = await this.database.query<{ id: string; codes: string[] }>(sql`
      SELECT named.id, found.codes FROM unnest(${held.map(({ id }) => id)}::uuid[]) AS named (id) CROSS JOIN LATERAL (
        SELECT array_agg(code ORDER BY position) AS codes FROM tracked_link WHERE delivery_id = named.id) found
      WHERE found.codes IS NOT NULL`);
    return new Map(rows.map(({ id, codes }) => [id, codes]));
  }

  private async defaultSenderOf(sealed: Held | undefined): Promise<string> {
    if (!sealed) return '';
    const [row] = await this.database.query<{ sender: string }>(
      sql`SELECT default_sender AS sender FROM organisation WHERE id = ${sealed.organisationId}`,
    );
    return row?.sender ?? '';
  }

  private unsealed({ id, sealedBody }: Held): DeliveryText | undefined {
    if (!sealedBody) return undefined;
    try {
      return JSON.parse(this.sealer.open(sealedBody, id)) as DeliveryText;
    } catch (error) {
      this.logger.error({ delivery: id, reason: String(error) }, 'a sealed text could not be opened');
      return undefined;
    }
  }
}
