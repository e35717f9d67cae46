import { Database, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { deliveryIdRange } from '../recipient-ids.js';
import type { AttemptRow, DeliveryRow, StoredDelivery } from './message-response.js';

const longestPage = 1_000;

const columns = sql`
  id, message_id AS "messageId", recipient_given AS "recipientGiven", state, pages, charge_kobo AS kobo, refunded,
  error_code AS "errorCode", error_message AS "errorMessage", created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface DeliveryPage {
  readonly deliveries: readonly StoredDelivery[];
  readonly pagination: { readonly limit: number; readonly next?: string };
}

/** What became of messages. Whose they are was asked before. */
@Injectable()
export class DeliveriesRepository {
  private readonly deliveries = new StatementLoader((ids: readonly string[]) => this.findAll(ids), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  /** In the order of the recipients. */
  ofMessage(messageId: string): Promise<readonly StoredDelivery[]> {
    return this.deliveries.load(messageId);
  }

  /** Some of those of a message to a smartlist, in the order of their ids. */
  async pageOf(messageId: string, after: string | undefined): Promise<DeliveryPage> {
    const { first, last } = deliveryIdRange(messageId);
    // By the range of ids alone: whatever the planner believes, no index is read beyond the page.
    const rows = await this.database.query<DeliveryRow>(sql`
      SELECT ${columns} FROM delivery
      WHERE id > ${after !== undefined && after > first ? after : first}::uuid AND id <= ${last}::uuid
        AND message_id IS NOT DISTINCT FROM ${messageId}::uuid
      ORDER BY id LIMIT ${longestPage + 1}`);
    const page = rows.slice(0, longestPage);
    const next = rows.length > longestPage ? page.at(-1)?.id : undefined;
    return {
      deliveries: await this.withAttempts(page),
      pagination: { limit: longestPage, ...(next !== undefined && { next }) },
    };
  }

  private async findAll(messageIds: readonly string[]): Promise<(readonly StoredDelivery[])[]> {
    const found = new Map(messageIds.map((id) => [id, [] as StoredDelivery[]]));
    for (const row of await this.withAttempts(await this.rowsOf(messageIds)))
      found.get(row.messageId)?.push(row);
    return messageIds.map((id) => found.get(id) ?? []);
  }

  private async withAttempts(rows: readonly DeliveryRow[]): Promise<StoredDelivery[]> {
    const attempts = new Map(rows.map(({ id }) => [id, [] as AttemptRow[]]));
    for (const attempt of await this.attemptsOf(rows)) attempts.get(attempt.deliveryId)?.push(attempt);
    return rows.map((row) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
  }

  private rowsOf(messageIds: readonly string[]): Promise<DeliveryRow[]> {
    return this.database.query<DeliveryRow>(sql`
      SELECT found.* FROM unnest(${[...new Set(messageIds)]}::uuid[]) AS message (id) CROSS JOIN LATERAL (
        SELECT ${columns} FROM delivery WHERE message_id = message.id AND message_id IS NOT NULL) AS found
      ORDER BY found.id`);
  }

  private async attemptsOf(deliveries: readonly DeliveryRow[]): Promise<AttemptRow[]> {
    if (deliveries.length === 0) return [];
    return this.database.query<AttemptRow>(sql`
      SELECT found.* FROM unnest(${deliveries.map(({ id }) => id)}::uuid[]) AS delivery (id) CROSS JOIN LATERAL (
        SELECT delivery_id AS "deliveryId", attempt, provider, outcome, error_code AS "errorCode",
          error_message AS "errorMessage", started_at AS "startedAt", ended_at AS "endedAt"
        FROM delivery_attempt WHERE delivery_id = delivery.id) AS found
      ORDER BY found."deliveryId", found.attempt`);
  }
}
