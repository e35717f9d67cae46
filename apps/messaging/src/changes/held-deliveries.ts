import { command, type MessageAction, type Sql, sql, statement, t } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { deliveriesIn, inStateOrder } from '../message-status.js';
import { anyChange, type ClaimedChange } from './change-lease.js';

type HoldAction = Exclude<MessageAction, 'cancel'>;

/** What is left to do: the due time of a held delivery is `infinity`. */
const isLeft: Readonly<Record<HoldAction, Sql>> = {
  pause: sql`next_attempt_at < 'infinity'`,
  resume: sql`next_attempt_at = 'infinity'`,
};

export const queuedOf = ({ messageId }: ClaimedChange): Sql =>
  deliveriesIn('queued', sql`${messageId}::uuid`);

const samples = (['pause', 'resume'] as const).map((action) => ({ ...anyChange, action }));

export const findLeft = statement(
  { id: t.uuid },
  (claimed: ClaimedChange, action: HoldAction, limit: number) => sql`
    SELECT id FROM delivery WHERE ${queuedOf(claimed)} AND ${isLeft[action]} ${inStateOrder} LIMIT ${limit}`,
  { samples: samples.map((change) => [change, change.action, 1] as const) },
);

const locked = (ids: readonly string[], action: HoldAction): Sql => sql`ARRAY(
  SELECT id FROM delivery WHERE id = ANY (${ids}::uuid[]) AND state::text = 'queued' AND ${isLeft[action]}
  ORDER BY id FOR UPDATE)`;

export const hold = command(
  (ids: readonly string[]) => sql`
    UPDATE delivery SET next_attempt_at = 'infinity' WHERE id = ANY (${locked(ids, 'pause')})`,
);

/** Makes deliveries due, but not before the time of their message. Their validity period begins then. */
export const release = command(
  (messageId: string, ids: readonly string[]) => sql`
    UPDATE delivery SET next_attempt_at = due.at, send_at = due.at
    FROM (SELECT greatest(${dueNow}, send_at) AS at FROM message WHERE id = ${messageId}) due
    WHERE id = ANY (${locked(ids, 'resume')})`,
);
