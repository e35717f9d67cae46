import type { SmsStatus } from '@gangan/contracts';
import { type DeliveryState, type Sql, sql } from '@gangan/database';

export interface Range {
  readonly organisationId: string;
  /** Ids of messages: those before the one, from the other on. */
  readonly before: string;
  readonly from: string;
}

const statesOf = (status: SmsStatus): readonly DeliveryState[] =>
  status === 'queued' ? ['queued', 'submitting'] : [status];

/**
 * The part `leap (id)` of a recursive WITH: the messages that have a delivery in this status, newest first, then
 * nothing. It leaps through the index from message to message, so that neither a message with a thousand such
 * deliveries nor a thousand messages without one cost more than others.
 */
export const leaps = (status: SmsStatus, { before, ...range }: Range): Sql => sql`
  leap (id) AS (
    SELECT ${newest(status, range, sql`${before}::uuid`)}
    UNION ALL
    SELECT ${newest(status, range, sql`leap.id`)} FROM leap WHERE leap.id IS NOT NULL)`;

function newest(status: SmsStatus, { organisationId, from }: Omit<Range, 'before'>, before: Sql): Sql {
  const [one, other] = statesOf(status).map(
    (state) => sql`(
      SELECT message_id FROM delivery
      WHERE organisation_id = ${organisationId} AND state = ${state}::delivery_state AND message_id IS NOT NULL
        AND message_id < ${before} AND message_id >= ${from}::uuid
      ORDER BY message_id DESC LIMIT 1)`,
  );
  return other ? sql`greatest(${one}, ${other})` : (one ?? sql`NULL::uuid`);
}
