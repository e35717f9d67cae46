import { refundDeliveries } from '@gangan/billing';
import {
  type Database,
  type DeliveryState,
  isUnanswered,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { Money } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

export interface Filter {
  readonly provider?: string | undefined;
  readonly organisationId?: string | undefined;
  readonly since?: Date | undefined;
}

/** What an operator decides: `keep` leaves them charged. */
export type Decision = 'refund' | 'resend' | 'keep';

/** A transaction: workers wait for its locks. */
const batchSize = 100;

const matches = ({ provider, organisationId, since }: Filter): Sql => sql`${isUnanswered}
  AND (${provider ?? null}::text IS NULL OR delivery.provider = ${provider ?? null} OR ${provider ?? null} = ANY (unanswered_by))
  AND (${organisationId ?? null}::uuid IS NULL OR delivery.organisation_id = ${organisationId ?? null}::uuid)
  AND coalesce(delivery.send_at, delivery.created_at) >= coalesce(${since ?? null}::timestamptz, '-infinity')`;

const isOpen = sql`state = 'submitting'`;

/** An OTP is never sent again: its text is deleted. */
const canBe: Readonly<Record<Decision, Sql>> = {
  refund: sql`true`,
  resend: sql`${isOpen} AND message_id IS NOT NULL
    AND (SELECT canceled_at IS NULL FROM message WHERE message.id = delivery.message_id)`,
  keep: sql`true`,
};

/** It is looked at again without a decision: it is sent again, or its provider is asked. */
const isRetried = sql`${isOpen} AND next_attempt_at <= now() + interval '10 minutes'`;

const findMatching = statement(
  { id: t.uuid, kobo: t.bigint, isOpenOtp: t.bool, isRetried: t.bool },
  (filter: Filter, decision: Decision) => sql`
    SELECT id, charge_kobo AS kobo, otp_id IS NOT NULL AND ${isOpen} AS "isOpenOtp", ${isRetried} AS "isRetried"
    FROM delivery WHERE ${matches(filter)} AND ${canBe[decision]} ORDER BY id`,
);

const listMatching = statement(
  {
    id: t.uuid,
    organisation: t.text,
    messageId: t.nullable(t.uuid),
    otpId: t.nullable(t.uuid),
    recipient: t.text,
    provider: t.nullable(t.text),
    unansweredBy: t.nullable(t.array(t.text)),
    state: t.enumOf<DeliveryState>('delivery_state'),
    attempt: t.int,
    kobo: t.bigint,
    createdAt: t.timestamp,
    /** When an open one is looked at again, at the latest when its validity period ends. */
    nextAttemptAt: t.nullable(t.timestamp),
  },
  (filter: Filter, limit: number) => sql`
    SELECT delivery.id, account.name || '/' || organisation.mode AS organisation, message_id AS "messageId", otp_id AS "otpId",
      recipient, provider, unanswered_by AS "unansweredBy", delivery.state, attempt, charge_kobo AS kobo,
      delivery.created_at AS "createdAt", next_attempt_at AS "nextAttemptAt"
    FROM delivery JOIN organisation ON organisation.id = delivery.organisation_id
      JOIN account ON account.id = organisation.account_id
    WHERE ${matches(filter)} ORDER BY delivery.created_at LIMIT ${limit}`,
);

export type UnansweredDelivery = RowOf<typeof listMatching>;

const settledShape = {
  id: t.uuid,
  organisationId: t.uuid,
  messageId: t.nullable(t.uuid),
  state: t.enumOf<DeliveryState>('delivery_state'),
  kobo: t.bigint,
};

const settledColumns = sql`delivery.id, organisation_id AS "organisationId", message_id AS "messageId", state,
  charge_kobo AS kobo`;

/** Locks those that still match: a report may have arrived, or another operator may have decided. */
const locked = (ids: readonly string[], filter: Filter, decision: Decision): Sql => sql`
  SELECT id FROM delivery WHERE id = ANY (${ids}::uuid[]) AND ${matches(filter)} AND ${canBe[decision]}
  ORDER BY id FOR UPDATE OF delivery`;

/**
 * Those that a worker must settle become due. Where one looks at a delivery soon anyway, that time stays: until then, the
 * call of a worker that died can be in flight.
 */
const decide = statement(
  settledShape,
  (ids: readonly string[], filter: Filter, decision: Decision) => sql`
    UPDATE delivery SET resolution = ${decision},
      next_attempt_at = CASE WHEN ${decision} <> 'keep' AND next_attempt_at > now() + interval '1 minute' THEN now()
        ELSE next_attempt_at END
    WHERE id = ANY (ARRAY(${locked(ids, filter, decision)})) AND (${decision} <> 'refund' OR ${isOpen})
    RETURNING ${settledColumns}`,
);

const refundEnded = statement(
  settledShape,
  (ids: readonly string[], filter: Filter) => sql`
    UPDATE delivery SET refunded = true
    WHERE id = ANY (ARRAY(${locked(ids, filter, 'refund')})) AND NOT ${isOpen}
    RETURNING ${settledColumns}`,
);

export const listUnanswered = (
  database: Database,
  filter: Filter,
  limit: number,
): Promise<UnansweredDelivery[]> => database.run(listMatching, filter, limit);

/** The deliveries that a decision is about. */
export const findUnanswered = (
  database: Database,
  filter: Filter,
  decision: Decision,
): Promise<RowOf<typeof findMatching>[]> => database.run(findMatching, filter, decision);

/**
 * Refunds ended deliveries, and stores what workers do with the open ones. Each batch is a transaction with its entries in
 * the audit log.
 */
export async function settleUnanswered(
  session: AdminSession,
  database: Database,
  ids: readonly string[],
  filter: Filter,
  decision: Decision,
): Promise<{ readonly ended: number; readonly open: number }> {
  let [ended, open] = [0, 0];
  for (let first = 0; first < ids.length; first += batchSize) {
    const batch = ids.slice(first, first + batchSize);
    await database.transaction(async (transaction) => {
      const refunded = decision === 'refund' ? await transaction.run(refundEnded, batch, filter) : [];
      const decided = await transaction.run(decide, batch, filter, decision);
      for (const { id, organisationId, state, kobo } of [...refunded, ...decided])
        await session.audit(transaction, {
          organisationId,
          target: `delivery ${id}`,
          before: { state },
          after: { resolution: decision, naira: new Money(kobo) },
        });
      // Last, because it locks wallets.
      await refundDeliveries(transaction, refunded);
      ended += refunded.length;
      open += decided.length;
    });
  }
  return { ended, open };
}
