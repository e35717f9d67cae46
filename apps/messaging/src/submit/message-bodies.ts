import { Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { type MessageBody, MessageTexts } from '../text/message-text.js';
import type { Held } from './delivery.js';
import { OtpLetters, type Prepared } from './otp-bodies.js';
import { unreadable } from '../outcome/reasons.js';

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
    private readonly otpLetters: OtpLetters,
  ) {}

  /** By the ids of the deliveries. */
  async of(held: readonly Held[]): Promise<ReadonlyMap<string, Prepared>> {
    const ofMessages = held.filter(({ messageId }) => messageId !== null);
    const messages = await this.messagesOf(ofMessages);
    const isTrackable = ({ messageId }: Held) => messages.get(messageId ?? '')?.trackable ?? false;
    const codes = await this.codesOf(ofMessages.filter(isTrackable));
    const prepared = new Map(await this.otpLetters.of(held.filter(({ messageId }) => messageId === null)));
    for (const each of ofMessages) {
      const message = messages.get(each.messageId ?? '');
      prepared.set(
        each.id,
        message
          ? { ...this.texts.textFor(message, each, codes.get(each.id)), sender: message.sender }
          : { obstacle: unreadable },
      );
    }
    return prepared;
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
}
