import { type Channel, sql, type SqlRunner, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { StoredTexts } from '../text/stored-texts.js';
import type { IncomingMessage } from './incoming-message.js';

interface ReceivingNumber {
  readonly channel: Channel;
  readonly number: string;
}

/** A provider of an organisation may bring only messages to the numbers of this organisation. */
const findOwners = statement(
  { channel: t.enumOf<Channel>('channel'), number: t.text, organisationId: t.uuid },
  (provider: string, numbers: readonly ReceivingNumber[]) => sql`
    SELECT found.channel, found.number, found.organisation_id AS "organisationId"
    FROM ${unnest('asked', numbers, { channel: ['channel'], text: ['number'] })}
    CROSS JOIN LATERAL (
      SELECT channel, number, organisation_id FROM inbound_number
      WHERE channel = asked.channel AND number = asked.number AND (provider IS NULL OR provider = ${provider})
        AND coalesce((SELECT own.organisation_id FROM provider AS own WHERE own.name = ${provider}),
          inbound_number.organisation_id) = inbound_number.organisation_id
      LIMIT 1) AS found`,
);

/** Sorted, so that two transactions with the same messages cannot deadlock. */
const insertMessages = statement(
  { id: t.uuid },
  (sorted: readonly (IncomingMessage & { readonly sealedText: Buffer | null })[]) => sql`
    INSERT INTO incoming_message (id, organisation_id, channel, number, sender, type, text, sealed_text, provider,
      provider_reference, sent_at, received_at)
    SELECT id, organisation_id, channel, number, sender, type, text, sealed_text, provider, provider_reference, sent_at,
      received_at
    FROM ${unnest('new', sorted, {
      uuid: ['id', 'organisationId'],
      channel: ['channel'],
      text: ['number', 'sender', 'type', 'text', 'provider', 'providerReference'],
      bytea: ['sealedText'],
      timestamptz: ['sentAt', 'receivedAt'],
    })}
    ON CONFLICT (provider, provider_reference) DO NOTHING RETURNING id`,
);

@Injectable()
export class IncomingRepository {
  constructor(private readonly texts: StoredTexts) {}

  /** @returns the organisations that have the numbers, by `keyOf` */
  async findOwners(
    transaction: SqlRunner,
    provider: string,
    numbers: readonly ReceivingNumber[],
  ): Promise<ReadonlyMap<string, string>> {
    const rows = numbers.length > 0 ? await transaction.run(findOwners, provider, numbers) : [];
    return new Map(rows.map((row) => [keyOf(row), row.organisationId]));
  }

  /** @returns the messages that are new */
  async insert(
    transaction: SqlRunner,
    messages: readonly IncomingMessage[],
  ): Promise<readonly IncomingMessage[]> {
    if (messages.length === 0) return [];
    const sorted = messages
      .toSorted((one, other) => (one.providerReference < other.providerReference ? -1 : 1))
      .map((message) => this.texts.sealIncoming(message));
    const stored = new Set((await transaction.run(insertMessages, sorted)).map(({ id }) => id));
    return messages.filter(({ id }) => stored.has(id));
  }
}

export const keyOf = ({ channel, number }: ReceivingNumber): string => `${channel} ${number}`;
