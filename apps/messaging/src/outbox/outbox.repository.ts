import { type DeliveryText, outboxKeptMs } from '@gangan/contracts';
import {
  type Channel,
  command,
  Database,
  type RowOf,
  sql,
  statement,
  type Statements,
  t,
  unnest,
} from '@gangan/database';
import { firstIdAt, maxId, newId } from '@gangan/protocol';
import { DataSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

export type StoredOutcome = 'accepted' | 'rejected' | 'lost';

/** What the simulator was given. */
export interface SimulatedSubmission extends DeliveryText {
  /** The id of the delivery. */
  readonly reference: string;
  readonly testOrganisationId?: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly recipient: string;
  readonly outcome: StoredOutcome;
}

export interface OutboxQuery {
  readonly organisationId: string;
  readonly before: string;
  readonly recipient?: string | undefined;
  readonly channel?: Channel | undefined;
}

type StoredRow = Pick<SimulatedSubmission, 'channel' | 'sender' | 'recipient' | 'outcome'> & {
  readonly id: string;
  readonly organisationId: string;
  readonly deliveryId: string;
  readonly sealedText: Buffer;
};

const insertMessages = command(
  (rows: readonly StoredRow[]) => sql`
    INSERT INTO outbox_message (id, organisation_id, delivery_id, channel, sender, recipient, outcome, sealed_text, created_at)
    SELECT id, organisation_id, delivery_id, channel, sender, recipient, outcome, sealed_text, now()
    FROM ${unnest('given', rows, {
      uuid: ['id', 'organisationId', 'deliveryId'],
      channel: ['channel'],
      text: ['sender', 'recipient', 'outcome'],
      bytea: ['sealedText'],
    })}`,
);

const anyQuery: OutboxQuery = { organisationId: maxId, before: maxId };

const listMessages = statement(
  {
    id: t.uuid,
    channel: t.enumOf<Channel>('channel'),
    sender: t.text,
    recipient: t.text,
    outcome: t.textOf<StoredOutcome>(),
    sealedText: t.bytes,
    createdAt: t.timestamp,
    messageId: t.nullable(t.uuid),
    otpId: t.nullable(t.uuid),
  },
  ({ organisationId, before, recipient, channel }: OutboxQuery, from: string, limit: number) => sql`
    SELECT found.id, found.channel, sender, found.recipient, outcome, "sealedText", "createdAt", delivery.message_id AS "messageId", delivery.otp_id AS "otpId" FROM (
      SELECT id, delivery_id, channel, sender, recipient, outcome, sealed_text AS "sealedText", created_at AS "createdAt"
      FROM outbox_message
      WHERE organisation_id = ${organisationId} AND id < ${before}::uuid AND id >= ${from}::uuid
        ${recipient === undefined ? sql`` : sql`AND recipient = ${recipient}`}
        ${channel === undefined ? sql`` : sql`AND channel = ${channel}::channel`}
      ORDER BY id DESC LIMIT ${limit}) found
    LEFT JOIN LATERAL (
      SELECT message_id, otp_id FROM delivery WHERE delivery.id = found.delivery_id LIMIT 1) delivery ON true
    ORDER BY found.id DESC`,
  {
    samples: [
      [anyQuery, maxId, 1],
      [{ ...anyQuery, recipient: '' }, maxId, 1],
      [{ ...anyQuery, recipient: '', channel: 'sms' }, maxId, 1],
    ],
  },
);

export type OutboxRow = Omit<RowOf<typeof listMessages>, 'sealedText'> & DeliveryText;

/** What the simulator was given for test organisations, sealed, for an hour. */
@Injectable()
export class OutboxRepository {
  constructor(
    private readonly database: Database,
    private readonly sealer: DataSealer,
  ) {}

  /** Leaves out the submissions of live organisations. */
  async store(transaction: Statements, submissions: readonly SimulatedSubmission[]): Promise<void> {
    const rows = submissions.flatMap((given) => {
      const { testOrganisationId: organisationId, reference: deliveryId } = given;
      if (organisationId === undefined) return [];
      const { channel, sender, recipient, outcome, text, template } = given;
      const id = newId();
      const sealedText = this.sealer.seal(JSON.stringify({ text, template }), placeOf(organisationId, id));
      return [{ id, organisationId, deliveryId, channel, sender, recipient, outcome, sealedText }];
    });
    if (rows.length > 0) await transaction.run(insertMessages, rows);
  }

  /** Newest first. */
  async list(query: OutboxQuery, limit: number): Promise<OutboxRow[]> {
    const rows = await this.database.run(listMessages, query, oldestShown(), limit);
    return rows.map(({ sealedText, ...row }) => {
      const opened = this.sealer.open(sealedText, placeOf(query.organisationId, row.id));
      return { ...row, ...(JSON.parse(opened) as DeliveryText) };
    });
  }
}

/** Ids are ordered by time, so a time limit is an id. */
const oldestShown = (): string => firstIdAt(new Date(Date.now() - outboxKeptMs));

const placeOf = (organisationId: string, id: string) =>
  ({ column: 'outbox_message.sealed_text', organisationId, id }) as const;
