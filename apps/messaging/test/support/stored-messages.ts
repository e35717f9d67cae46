import { Database, type DeliveryState, type OrganisationMode, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { firstIdAt, newId } from '@gangan/protocol';
import {
  aMessage,
  anOrganisation,
  createTestDatabase,
  type TestDatabase,
  uniqueBytes,
} from '@gangan/testing';

export interface MessageOptions {
  readonly organisationId: string;
  readonly ageDays?: number;
  /** One delivery each. */
  readonly states?: readonly DeliveryState[];
  readonly callbackUrl?: string;
  /** Of every delivery. */
  readonly urls?: readonly string[];
}

export interface StoredMessage {
  readonly id: string;
  readonly deliveryIds: readonly string[];
  /** By delivery, then by link. */
  readonly codes: readonly (readonly string[])[];
}

/** A database with messages that are inserted directly. */
export class StoredMessages {
  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(): Promise<StoredMessages> {
    const postgres = await createTestDatabase(migrate);
    return new StoredMessages(postgres, new Database({ url: postgres.url, poolSize: 8 }));
  }

  async organisation(mode: OrganisationMode = 'test'): Promise<string> {
    return (await anOrganisation(this.database, { mode })).id;
  }

  async message({
    organisationId,
    ageDays = 0,
    states = ['delivered'],
    callbackUrl,
    urls = [],
  }: MessageOptions): Promise<StoredMessage> {
    const id = idOfAge(ageDays);
    const deliveryIds = states.map(() => newId());
    const codes = deliveryIds.map(() => urls.map(() => uniqueBytes(16).toString('base64url')));
    const given = { trackable: urls.length > 0, externalRef: 'ref-1', callbackUrl };
    await aMessage(this.database, organisationId, { id, recipients: ['0803 123 4567'], ...given });
    await this.database.execute(sql`
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, state, pages,
        charge_kobo, next_attempt_at, updated_at)
      SELECT id, ${organisationId}, 'sms', ${id}, 'sms', '+2348031234567', '0803 123 4567', state::delivery_state, 1, 400,
        CASE WHEN state IN ('queued', 'submitting', 'sent') THEN now() + interval '1 day' END,
        CASE WHEN state <> 'queued' THEN now() END
      FROM unnest(${deliveryIds}::uuid[], ${[...states]}::text[]) AS delivery (id, state)`);
    await this.database.execute(sql`
      INSERT INTO delivery_attempt (delivery_id, attempt, provider)
      SELECT id, 1, 'simulator' FROM unnest(${deliveryIds}::uuid[]) AS id`);
    const links = codes.flatMap((own, recipient) =>
      own.map((code, index) => ({ code, index, deliveryId: deliveryIds[recipient] ?? '' })),
    );
    await this.database.execute(sql`
      INSERT INTO tracked_link (code, delivery_id, position, url)
      SELECT code, delivery_id, position, url FROM unnest(${links.map(({ code }) => code)}::text[],
        ${links.map(({ deliveryId }) => deliveryId)}::uuid[], ${links.map(({ index }) => index)}::int[],
        ${links.map(({ index }) => urls[index] ?? '')}::text[]) AS link (code, delivery_id, position, url)`);
    return { id, deliveryIds, codes };
  }

  /** How many rows each table of messages has. */
  async counts(): Promise<Record<string, number>> {
    const [row] = await this.database.query<Record<string, number>>(sql`
      SELECT (SELECT count(*)::int FROM message) AS messages, (SELECT count(*)::int FROM delivery) AS deliveries,
        (SELECT count(*)::int FROM delivery_attempt) AS attempts, (SELECT count(*)::int FROM tracked_link) AS links,
        (SELECT count(*)::int FROM link_click) AS clicks`);
    return row ?? {};
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}

let made = 0;

/** An id as it would have been made so many days ago. */
export function idOfAge(days: number): string {
  made += 1;
  const first = firstIdAt(new Date(Date.now() - days * 86_400_000));
  return first.slice(0, -12) + made.toString(16).padStart(12, '0');
}
