import {
  columnsOf,
  type Database,
  isUnanswered,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { type Access, callFunction, changeColumns, changeResult } from '../access.js';
import { approvalLimit } from '../approvals/approvals.js';
import { masked } from './masked.js';

export interface UnansweredFilter {
  readonly provider?: string | undefined;
  readonly organisationId?: string | undefined;
  readonly since?: Date | undefined;
}

/** What an operator decides: `keep` leaves them charged. */
export type UnansweredDecision = 'refund' | 'resend' | 'keep';

/** A transaction: workers wait for its locks. */
const usualBatch = 500;
/** What one request of an approval can refund. */
const largestBatch = 10_000;

const matches = ({ provider, organisationId, since }: UnansweredFilter): Sql => sql`${isUnanswered}
  AND (${provider ?? null}::text IS NULL OR delivery.provider = ${provider ?? null} OR ${provider ?? null} = ANY (unanswered_by))
  AND (${organisationId ?? null}::uuid IS NULL OR delivery.organisation_id = ${organisationId ?? null}::uuid)
  AND coalesce(delivery.send_at, delivery.created_at) >= coalesce(${since ?? null}::timestamptz, '-infinity')`;

const isOpen = sql`state = 'submitting'`;

/** An OTP is never sent again: its text is deleted. */
const canBe: Readonly<Record<UnansweredDecision, Sql>> = {
  refund: sql`true`,
  resend: sql`${isOpen} AND message_id IS NOT NULL
    AND (SELECT canceled_at IS NULL FROM message WHERE message.id = delivery.message_id)`,
  keep: sql`true`,
};

/** It is looked at again without a decision: it is sent again, or its provider is asked. */
const isRetried = sql`${isOpen} AND next_attempt_at <= now() + interval '10 minutes'`;

const findMatching = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    isLive: t.bool,
    kobo: t.bigint,
    isOpenOtp: t.bool,
    isRetried: t.bool,
  },
  (filter: UnansweredFilter, decision: UnansweredDecision) => sql`
    SELECT id, organisation_id AS "organisationId", charge_kobo AS kobo, otp_id IS NOT NULL AND ${isOpen} AS "isOpenOtp",
      ${isRetried} AS "isRetried", (SELECT mode = 'live' FROM organisation WHERE id = delivery.organisation_id) AS "isLive"
    FROM delivery WHERE ${matches(filter)} AND ${canBe[decision]}
    ORDER BY organisation_id, id`,
);

type MatchingDelivery = RowOf<typeof findMatching>;

/** The deliveries that a decision is about. */
export const findUnanswered = (database: Database, filter: UnansweredFilter, decision: UnansweredDecision) =>
  database.run(findMatching, filter, decision);

const listedShape = {
  delivery: t.from('id', t.uuid),
  organisation: t.from(sql`account.name || '/' || organisation.mode`, t.text),
  message: t.from('message_id', t.nullable(t.uuid)),
  otp: t.from('otp_id', t.nullable(t.uuid)),
  recipient: t.text,
  provider: t.nullable(t.text),
  status: t.from('state', t.enumOf('delivery_state')),
  attempts: t.from('attempt', t.int),
  created: t.from('created_at', t.timestamp),
  /** When an open one is looked at again, at the latest when its validity period ends. */
  next_attempt: t.from('next_attempt_at', t.nullable(t.timestamp)),
  kobo: t.from('charge_kobo', t.bigint),
  unansweredBy: t.nullable(t.array(t.text)),
};

const listMatching = statement(
  listedShape,
  (filter: UnansweredFilter, limit: number) => sql`
    SELECT ${columnsOf(listedShape, 'delivery')}
    FROM delivery JOIN organisation ON organisation.id = delivery.organisation_id
      JOIN account ON account.id = organisation.account_id
    WHERE ${matches(filter)} ORDER BY delivery.created_at LIMIT ${limit}`,
);

/** The oldest that match, with masked numbers and every provider that may have them. */
export async function listUnanswered(database: Database, filter: UnansweredFilter, limit: number) {
  const rows = await database.run(listMatching, filter, limit);
  return rows.map(({ unansweredBy, ...row }) => ({
    ...row,
    recipient: masked(row.recipient),
    provider: [...new Set([...(unansweredBy ?? []), row.provider ?? '-'])].join(', '),
  }));
}

/** The database decides again about each: a report may have arrived, or another operator may have decided. */
const callResolveUnanswered = statement(
  { ...changeResult, ended: t.nullable(t.int), open: t.nullable(t.int) },
  (batch: readonly MatchingDelivery[], decision: UnansweredDecision, together: bigint, actor: string) => sql`
    SELECT ${changeColumns}, (result ->> 'ended')::int AS ended, (result ->> 'open')::int AS open
    FROM resolve_unanswered(${batch[0]?.organisationId ?? null}::uuid, ${batch.map(({ id }) => id)}::uuid[], ${decision},
      ${together}::bigint, ${actor}) AS result`,
);

/**
 * Refunds ended deliveries, and stores what workers do with the open ones, or requests the approval. Each batch is a
 * transaction with its entries in the audit log; what all of them refund together is compared with the limit.
 * @returns how many have ended and are open, and the requests of refunds that need the approval of another operator
 */
export async function settleUnanswered(
  { database, principal }: Access,
  deliveries: readonly MatchingDelivery[],
  decision: UnansweredDecision,
) {
  let [ended, open] = [0, 0];
  const approvals: string[] = [];
  let together = liveKoboOf(deliveries);
  const limit = await approvalLimit(database);
  // Each batch of a refund above the limit becomes a request.
  const size = decision === 'refund' && limit !== null && together > limit ? largestBatch : usualBatch;
  for (const batch of batchesOf(deliveries, size)) {
    const result = await callFunction(
      database,
      callResolveUnanswered,
      batch,
      decision,
      together,
      principal.name,
    );
    if (result.approval) approvals.push(result.approval);
    // The database counts what it has refunded.
    else together -= liveKoboOf(batch);
    ended += result.ended ?? 0;
    open += result.open ?? 0;
  }
  return { ended, open, approvals };
}

/** What approvals are about: money of test organisations is not real. */
const liveKoboOf = (deliveries: readonly MatchingDelivery[]): bigint =>
  deliveries.reduce((sum, { kobo, isLive }) => (isLive ? sum + kobo : sum), 0n);

/** Each is of one organisation. */
function batchesOf(deliveries: readonly MatchingDelivery[], size: number): MatchingDelivery[][] {
  const batches: MatchingDelivery[][] = [];
  for (const delivery of deliveries) {
    const last = batches.at(-1);
    if (last?.[0]?.organisationId === delivery.organisationId && last.length < size) last.push(delivery);
    else batches.push([delivery]);
  }
  return batches;
}
