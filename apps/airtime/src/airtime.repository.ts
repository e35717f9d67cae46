import { insufficientBalance, reserve, isolateLockedWallets } from '@gangan/billing';
import type { AirtimeStatus } from '@gangan/contracts';
import { Database, type Sql, sql, StatementLoader } from '@gangan/database';
import { maxId, firstIdAt } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { PurchaseRow } from './purchase-answer.js';

/** A purchase that is wanted. */
export interface Order extends Pick<
  PurchaseRow,
  'id' | 'network' | 'recipientGiven' | 'kobo' | 'externalRef' | 'callbackUrl' | 'createdAt'
> {
  readonly organisationId: string;
  readonly recipient: string;
  readonly requestId: string;
}

export interface Placed {
  readonly balanceBefore: bigint;
}

export interface ListWish {
  readonly organisationId: string;
  readonly limit: number;
  readonly before: string | undefined;
  readonly status: AirtimeStatus | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

/** How long the event of a new purchase has, before it is looked for as overdue. */
const eventGrace = sql`interval '5 seconds'`;

const columns = sql`
  id, network, recipient_given AS "recipientGiven", amount_kobo AS kobo, balance_before_kobo AS "balanceBefore",
  state, refunded, external_ref AS "externalRef", callback_url AS "callbackUrl", error_code AS "errorCode",
  error_message AS "errorMessage", created_at AS "createdAt", updated_at AS "updatedAt"`;

@Injectable()
export class AirtimeRepository {
  private readonly orders = new StatementLoader(
    isolateLockedWallets((orders: readonly Order[]) => this.placeAll(orders)),
  );
  private readonly purchases = new StatementLoader((asked: readonly Owned[]) => this.findAll(asked), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  /**
   * Reserves the money and writes the purchase down, both or neither; one that is there already stays as it is.
   * @throws AppError 402
   */
  place(order: Order): Promise<Placed> {
    return this.orders.load(order);
  }

  async find(owned: Owned): Promise<PurchaseRow | undefined> {
    return (await this.purchases.load(owned)).found;
  }

  /** Newest first. As ids are made in the order of time, a moment is a place between two of them. */
  list(wish: ListWish): Promise<PurchaseRow[]> {
    return this.database.query<PurchaseRow>(sql`
      SELECT ${columns} FROM airtime_purchase
      WHERE organisation_id = ${wish.organisationId}
        AND id < least(${wish.before ?? maxId}::uuid, ${wish.until ? firstIdAt(wish.until) : maxId}::uuid)
        AND id >= ${firstIdAt(wish.since ?? new Date(0))}::uuid ${wish.status ? byStatus[wish.status] : anyStatus}
      ORDER BY id DESC LIMIT ${wish.limit}`);
  }

  private async placeAll(orders: readonly Order[]): Promise<(Placed | Error)[]> {
    const members = orders.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
    const spendings = await reserve(this.database, members, placing(orders));
    return spendings.map((spending, place) =>
      spending.ok ? spending : insufficientBalance(orders[place]?.kobo ?? 0n, spending.available),
    );
  }

  private async findAll(asked: readonly Owned[]): Promise<{ found: PurchaseRow | undefined }[]> {
    const rows = await this.database.query<PurchaseRow & { place: number }>(sql`
      SELECT asked.place::int, found.*
      FROM unnest(${asked.map(({ id }) => id)}::uuid[], ${asked.map(({ organisationId }) => organisationId)}::uuid[])
        WITH ORDINALITY AS asked (id, organisation_id, place)
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM airtime_purchase
        WHERE id = asked.id AND organisation_id = asked.organisation_id LIMIT 1) AS found`);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return asked.map((_, place) => ({ found: byPlace.get(place + 1) }));
  }
}

const placing = (orders: readonly Order[]): Sql => sql`
  placed AS (
    INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
      balance_before_kobo, external_ref, callback_url, request_id, created_at, next_attempt_at)
    SELECT asked.id, asked.organisation_id, network, recipient, recipient_given, accepted.kobo,
      accepted.balance + accepted.kobo, external_ref, callback_url, request_id, created_at, now() + ${eventGrace}
    FROM unnest(${orders.map(({ id }) => id)}::uuid[],
      ${orders.map(({ organisationId }) => organisationId)}::uuid[],
      ${orders.map(({ network }) => network)}::text[],
      ${orders.map(({ recipient }) => recipient)}::text[],
      ${orders.map(({ recipientGiven }) => recipientGiven)}::text[],
      ${orders.map(({ externalRef }) => externalRef)}::text[],
      ${orders.map(({ callbackUrl }) => callbackUrl)}::text[],
      ${orders.map(({ requestId }) => requestId)}::text[],
      ${orders.map(({ createdAt }) => createdAt)}::timestamptz[])
      AS asked (id, organisation_id, network, recipient, recipient_given, external_ref, callback_url, request_id, created_at)
    JOIN accepted ON accepted.subject_id = asked.id
    ON CONFLICT DO NOTHING)`;

/** Spelt out, not as a parameter: the index over what is not a success serves only a statement that names it. */
const byStatus: Readonly<Record<AirtimeStatus, Sql>> = {
  pending: sql`AND state IN ('pending', 'submitting')`,
  sent: sql`AND state = 'sent'`,
  success: sql`AND state = 'success'`,
  failed: sql`AND state = 'failed'`,
  error: sql`AND state = 'error'`,
  duplicate: sql`AND state = 'duplicate'`,
};

const anyStatus = sql``;
