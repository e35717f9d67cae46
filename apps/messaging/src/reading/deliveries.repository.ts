import { Database, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { AttemptRow, DeliveryRow, StoredDelivery } from '../message-answer.js';

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

  private async findAll(messageIds: readonly string[]): Promise<(readonly StoredDelivery[])[]> {
    const rows = await this.rowsOf(messageIds);
    const attempts = new Map(rows.map(({ id }) => [id, [] as AttemptRow[]]));
    for (const attempt of await this.attemptsOf(rows)) attempts.get(attempt.deliveryId)?.push(attempt);
    const found = new Map(messageIds.map((id) => [id, [] as StoredDelivery[]]));
    for (const row of rows) found.get(row.messageId)?.push({ ...row, attempts: attempts.get(row.id) ?? [] });
    return messageIds.map((id) => found.get(id) ?? []);
  }

  private rowsOf(messageIds: readonly string[]): Promise<DeliveryRow[]> {
    return this.database.query<DeliveryRow>(sql`
      SELECT found.* FROM unnest(${[...new Set(messageIds)]}::uuid[]) AS message (id) CROSS JOIN LATERAL (
        SELECT id, message_id AS "messageId", recipient_given AS "recipientGiven", state, pages, charge_kobo AS kobo,
          refunded, error_code AS "errorCode", error_message AS "errorMessage", created_at AS "createdAt",
          updated_at AS "updatedAt"
        FROM delivery WHERE message_id = message.id AND message_id IS NOT NULL) AS found
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
