import {
  columnsOf,
  Database,
  deliveryAttempts,
  type DeliveryState,
  isQuiet,
  Prisma,
  readPage,
  type RowOf,
  sql,
  statement,
  StatementLoader,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { deliveryIdRange } from '../delivery-ids.js';
import { groupBy } from '../grouping.js';
import { deliveriesIn, inStateOrder } from '../message-status.js';
import { attemptStartedAt } from '../outcome/apply-transitions.js';
import { RetryPolicies } from '../outcome/retry/retry-policy.js';
import type { Substitutions } from '../text/rendering.js';
import type { MessageRow } from './messages.repository.js';

/** A delivery with links is larger. */
const pageSizes = { plain: 1_000, trackable: 250 };

const deliveryShape = {
  id: t.uuid,
  messageId: t.uuid,
  recipient: t.text,
  recipientGiven: t.text,
  /** The values of a recipient from a smartlist: plain, or sealed. */
  substitutions: t.nullable(t.json<Substitutions>()),
  sealedBody: t.nullable(t.bytes),
  state: t.enumOf<DeliveryState>('delivery_state'),
  pages: t.int,
  kobo: t.from('charge_kobo', t.bigint),
  refunded: t.bool,
  errorCode: t.nullable(t.text),
  errorMessage: t.nullable(t.text),
  /** The end of the quiet hours that it waits for. */
  waitsUntil: t.from(sql`CASE WHEN ${isQuiet} THEN next_attempt_at END`, t.nullable(t.timestamp)),
  createdAt: t.timestamp,
  updatedAt: t.nullable(t.timestamp),
};

const deliveryColumns = columnsOf(deliveryShape);

type DeliveryRow = RowOf<{ readonly shape: typeof deliveryShape }>;
export type AttemptRow = RowOf<typeof findAttempts>;

export interface StoredDelivery extends DeliveryRow {
  readonly attempts: readonly AttemptRow[];
}

const findDeliveries = statement(
  deliveryShape,
  (messageIds: readonly string[]) => sql`
    SELECT found.* FROM unnest(${messageIds}::uuid[]) AS message (id) CROSS JOIN LATERAL (
      SELECT ${deliveryColumns} FROM delivery WHERE message_id = message.id AND message_id IS NOT NULL) AS found
    ORDER BY found.id`,
);

/** IS NOT DISTINCT FROM keeps the planner from the index on message_id: the range of ids alone reads only the page. */
const findDeliveryPage = statement(
  deliveryShape,
  (messageId: string, after: string, last: string, limit: number) => sql`
    SELECT ${deliveryColumns} FROM delivery
    WHERE id > ${after}::uuid AND id <= ${last}::uuid AND message_id IS NOT DISTINCT FROM ${messageId}::uuid
    ORDER BY id LIMIT ${limit}`,
);

/** An attempt in progress has no row yet: the delivery describes it. */
const findAttempts = statement(
  {
    deliveryId: t.uuid,
    attempt: t.int,
    provider: t.text,
    outcome: t.nullable(t.text),
    errorCode: t.nullable(t.text),
    errorMessage: t.nullable(t.text),
    startedAt: t.timestamp,
    endedAt: t.nullable(t.timestamp),
  },
  (deliveryIds: readonly string[], leaseMs: number) => sql`
    SELECT found.* FROM unnest(${deliveryIds}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT delivery_id AS "deliveryId", attempt, provider, outcome, error_code AS "errorCode",
        error_message AS "errorMessage", started_at AS "startedAt", ended_at AS "endedAt"
      FROM ${deliveryAttempts} AS made WHERE delivery_id = named.id
      UNION ALL
      SELECT id, attempt, provider, NULL, NULL, NULL, ${attemptStartedAt(leaseMs)}, NULL FROM delivery
      WHERE id = named.id AND state::text = 'submitting' AND provider IS NOT NULL AND NOT EXISTS (
        SELECT FROM delivery_attempt WHERE delivery_id = named.id AND attempt = delivery.attempt)) AS found
    ORDER BY found."deliveryId", found.attempt`,
);

/** An operator may refund what expired without an answer. */
const refundedStates: readonly DeliveryState[] = ['rejected', 'failed', 'undelivered', 'expired', 'canceled'];

/** For a message to a smartlist, which may have very many deliveries. */
const sumRefunded = statement({ kobo: t.bigint }, (messageId: string) => {
  const ended = refundedStates.map((state) => {
    const own = deliveriesIn(state, sql`${messageId}::uuid`);
    return sql`(SELECT charge_kobo, refunded FROM delivery WHERE ${own} ${inStateOrder})`;
  });
  return sql`
    SELECT coalesce(sum(charge_kobo) FILTER (WHERE refunded), 0)::bigint AS kobo
    FROM (${Prisma.join(ended, ' UNION ALL ')}) AS ended`;
});

/** Reads the deliveries of messages. The caller has checked the organisation. */
@Injectable()
export class DeliveriesRepository {
  private readonly deliveries = new StatementLoader((ids: readonly string[]) => this.load(ids), {
    readOnly: true,
  });

  constructor(
    private readonly database: Database,
    private readonly policies: RetryPolicies,
  ) {}

  /** In the order of the recipients. */
  findAll(messageId: string): Promise<readonly StoredDelivery[]> {
    return this.deliveries.load(messageId);
  }

  /** A page of the deliveries of a message to a smartlist, in the order of their ids. */
  async findPage(
    { id: messageId, trackable }: Pick<MessageRow, 'id' | 'trackable'>,
    after: string | undefined,
  ) {
    const pageSize = trackable ? pageSizes.trackable : pageSizes.plain;
    const { first, last } = deliveryIdRange(messageId);
    const start = after !== undefined && after > first ? after : first;
    const { rows, pagination } = await readPage(pageSize, (size) =>
      this.database.run(findDeliveryPage, messageId, start, last, size),
    );
    return { deliveries: await this.withAttempts(rows), pagination };
  }

  async sumRefunded(messageId: string): Promise<bigint> {
    return (await this.database.run(sumRefunded, messageId))[0]?.kobo ?? 0n;
  }

  private async load(messageIds: readonly string[]): Promise<(readonly StoredDelivery[])[]> {
    const rows = await this.database.run(findDeliveries, [...new Set(messageIds)]);
    const found = groupBy(await this.withAttempts(rows), ({ messageId }) => messageId);
    return messageIds.map((id) => found.get(id) ?? []);
  }

  private async withAttempts(rows: readonly DeliveryRow[]): Promise<StoredDelivery[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const found = await this.database.run(findAttempts, ids, this.policies.leaseMs);
    const attempts = groupBy(found, ({ deliveryId }) => deliveryId);
    return rows.map((row) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
  }
}
