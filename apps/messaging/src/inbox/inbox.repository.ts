import type { IdRange } from '@gangan/contracts';
import { type Channel, columnsOf, Database, type RowOf, sql, statement, t } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { type OwnedId, ownedRows } from '../owned-rows.js';
import { StoredTexts } from '../text/stored-texts.js';

/** The messages of an organisation in a range of ids, which are ordered by time. */
export interface InboxQuery extends IdRange {
  readonly organisationId: string;
  readonly number?: string | undefined;
  readonly sender?: string | undefined;
  readonly channel?: Channel | undefined;
}

const shape = {
  id: t.uuid,
  organisationId: t.uuid,
  channel: t.enumOf<Channel>('channel'),
  number: t.text,
  sender: t.text,
  type: t.text,
  text: t.nullable(t.text),
  sealedText: t.nullable(t.bytes),
  provider: t.text,
  sentAt: t.nullable(t.timestamp),
  receivedAt: t.timestamp,
};

const columns = columnsOf(shape);

const findMessages = statement(
  { ...shape, hasNumber: t.bool },
  (ids: readonly string[]) => sql`
    SELECT found.*, (SELECT organisation_id FROM inbound_number
      WHERE channel = found.channel AND number = found.number) IS NOT DISTINCT FROM found."organisationId" AS "hasNumber"
    FROM unnest(${ids}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (SELECT ${columns} FROM incoming_message WHERE id = asked.id LIMIT 1) AS found`,
);

const anyQuery: InboxQuery = { organisationId: maxId, from: maxId, before: maxId };

const listMessages = statement(
  shape,
  ({ organisationId, from, before, number, sender, channel }: InboxQuery, limit: number) => sql`
    SELECT ${columns} FROM incoming_message
    WHERE organisation_id = ${organisationId} AND id < ${before}::uuid AND id >= ${from}::uuid
      ${number === undefined ? sql`` : sql`AND number = ${number}`}
      ${sender === undefined ? sql`` : sql`AND sender = ${sender}`}
      ${channel === undefined ? sql`` : sql`AND channel = ${channel}::channel`}
    ORDER BY id DESC LIMIT ${limit}`,
  {
    samples: [
      [anyQuery, 1],
      [{ ...anyQuery, number: '' }, 1],
      [{ ...anyQuery, sender: '' }, 1],
      [{ ...anyQuery, channel: 'sms' }, 1],
      [{ ...anyQuery, number: '', sender: '', channel: 'sms' }, 1],
    ],
  },
);

type StoredMessage = RowOf<typeof listMessages>;

/** A message that an organisation received, with its text. */
export type InboxRow = Omit<StoredMessage, 'sealedText'>;

/** A message to which the organisation replies. */
export interface RepliedMessage extends Pick<InboxRow, 'channel' | 'number' | 'sender' | 'provider'> {
  /** Whether the organisation still has the number that received it. */
  readonly hasNumber: boolean;
}

@Injectable()
export class InboxRepository {
  private readonly findOwned = ownedRows((ids) => this.database.run(findMessages, ids));

  constructor(
    private readonly database: Database,
    private readonly texts: StoredTexts,
  ) {}

  async find(owned: OwnedId): Promise<InboxRow | undefined> {
    const row = await this.findOwned(owned);
    return row && this.open(row);
  }

  /** Does not open the text of the message. */
  findRepliedMessage(owned: OwnedId): Promise<RepliedMessage | undefined> {
    return this.findOwned(owned);
  }

  /** Newest first. */
  async list(query: InboxQuery, limit: number): Promise<InboxRow[]> {
    const rows = await this.database.run(listMessages, query, limit);
    return rows.map((row) => this.open(row));
  }

  private open({ sealedText, ...row }: StoredMessage): InboxRow {
    return { ...row, text: this.texts.openIncoming({ ...row, sealedText }) };
  }
}
