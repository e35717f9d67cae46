import { charge, insufficientBalance, isolateLockedWallets } from '@gangan/billing';
import { maxRecipientsListed, type SmsStatus } from '@gangan/contracts';
import { Database, sql, StatementLoader } from '@gangan/database';
import { maxId, firstIdAt } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { ListedRow, MessageRow } from './message-response.js';
import { leaps } from './leaps.js';
import { whenWalletIsFree } from '../transactions.js';
import type { Order } from './order.js';
import { storing } from './store-orders.js';
import { Turns } from './turns.js';

export interface Accepted {
  readonly balance: bigint;
  /** Whether an earlier run may have stored it: what is told of it then is what that one stored. */
  readonly perhapsEarlier: boolean;
}

export interface ListWish {
  readonly organisationId: string;
  readonly limit: number;
  /** How many newer ones are passed over. */
  readonly skip: number;
  readonly before: string | undefined;
  readonly status: SmsStatus | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

export interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

/** With so many recipients, an organisation's messages take turns: between two of them, its small ones get the wallet. */
const large = 50;

const briefColumns = sql`
  id, channel, sender, content, template_id AS "templateId", smartlist_id AS "smartlistId",
  external_ref AS "externalRef", trackable, callback_url AS "callbackUrl", encoding, length, pages,
  charge_kobo AS kobo, balance_kobo AS balance,
  created_at AS "createdAt"`;

const columns = sql`${briefColumns}, recipients, personalisation`;

/** Of a list: what a message may have much of is cut where it is read. */
const listedColumns = sql`${briefColumns}, recipients[1:${maxRecipientsListed}::int] AS recipients,
  cardinality(recipients) AS "recipientCount", NULL::jsonb AS personalisation`;

@Injectable()
export class MessagingRepository {
  private readonly orders = new StatementLoader(
    isolateLockedWallets((orders: readonly Order[]) => this.acceptAll(orders)),
  );
  private readonly turns = new Turns();
  private readonly messages = new StatementLoader((asked: readonly Owned[]) => this.findAll(asked), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  /**
   * Charges the message and writes it down with its deliveries, all or nothing; one that is there already stays.
   * @throws AppError 402
   */
  accept(order: Order): Promise<Accepted> {
    const load = (): Promise<Accepted> => whenWalletIsFree(() => this.orders.load(order));
    return order.deliveries.length < large ? load() : this.turns.take(order.organisationId, load);
  }

  async find(owned: Owned): Promise<MessageRow | undefined> {
    return (await this.messages.load(owned)).found;
  }

  /** Newest first. As ids are made in the order of time, a moment is a place between two of them. */
  list({
    organisationId,
    limit,
    skip,
    before = maxId,
    status,
    since,
    until,
  }: ListWish): Promise<ListedRow[]> {
    const untilId = until ? firstIdAt(until) : maxId;
    const range = {
      organisationId,
      before: before < untilId ? before : untilId,
      from: firstIdAt(since ?? new Date(0)),
    };
    const found =
      status === undefined
        ? sql`found (id) AS (
          SELECT id FROM message
          WHERE organisation_id = ${organisationId} AND id < ${range.before}::uuid AND id >= ${range.from}::uuid
          ORDER BY id DESC LIMIT ${limit} OFFSET ${skip})`
        : sql`${leaps(status, range)}, found (id) AS (
          SELECT id FROM leap WHERE id IS NOT NULL LIMIT ${limit} OFFSET ${skip})`;
    return this.database.query<ListedRow>(sql`
      WITH RECURSIVE ${found}
      SELECT listed.* FROM found
      CROSS JOIN LATERAL (SELECT ${listedColumns} FROM message WHERE id = found.id LIMIT 1) AS listed
      ORDER BY listed.id DESC`);
  }

  private async acceptAll(orders: readonly Order[]): Promise<(Accepted | Error)[]> {
    const members = orders.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
    const spendings = await charge(this.database, members, storing(orders));
    return spendings.map((spending, place) => {
      const kobo = orders[place]?.kobo ?? 0n;
      if (!spending.ok) return insufficientBalance(kobo, spending.available);
      // What costs nothing leaves no trace in the ledger by which a second run could be told.
      return { balance: spending.balance, perhapsEarlier: spending.repeated || kobo === 0n };
    });
  }

  private async findAll(asked: readonly Owned[]): Promise<{ found: MessageRow | undefined }[]> {
    const rows = await this.database.query<MessageRow & Owned>(sql`
      SELECT found.* FROM unnest(${[...new Set(asked.map(({ id }) => id.toLowerCase()))]}::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT ${columns}, organisation_id AS "organisationId" FROM message WHERE id = asked.id LIMIT 1) AS found`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return asked.map(({ id, organisationId }) => {
      const row = byId.get(id.toLowerCase());
      return { found: row?.organisationId === organisationId ? row : undefined };
    });
  }
}
