import type { MessageStatus } from '@gangan/contracts';
import {
  command,
  type MessageAction,
  type RowOf,
  type Sql,
  sql,
  statement,
  type Statements,
  t,
} from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { holdExpansion, releaseExpansion } from '../audience/expansion-lease.js';
import { statusOfMessage } from '../message-status.js';
import type { OwnedId } from '../owned-rows.js';
import { alreadyCanceled, alreadyCompleted } from './changes.errors.js';

const lockMessage = statement(
  { id: t.uuid },
  ({ id, organisationId }: OwnedId) => sql`
    SELECT id FROM message WHERE id = ${id} AND organisation_id = ${organisationId} FOR NO KEY UPDATE`,
  { samples: [[{ id: '', organisationId: '' }]] },
);

const readStatus = statement(
  { status: t.textOf<MessageStatus>(), isPaused: t.bool, isRepeated: t.bool },
  (id: string, operationId: string) => sql`
    SELECT ${statusOfMessage} AS status, paused_at IS NOT NULL AS "isPaused",
      ${operationId}::uuid = ANY (change_ids) AS "isRepeated"
    FROM message WHERE id = ${id}`,
);

/** More operations than can arrive late: no worker begins a request after its deadline. */
const maxOperations = 20;

const storeOperation = command(
  (id: string, operationId: string) => sql`
    UPDATE message SET change_ids = (array_prepend(${operationId}::uuid, change_ids))[1:${maxOperations}::int]
    WHERE id = ${id}`,
);

const columns: Readonly<Record<MessageAction, Sql>> = {
  pause: sql`paused_at = now()`,
  resume: sql`paused_at = NULL`,
  cancel: sql`paused_at = NULL, canceled_at = now()`,
};

const storeAction = command(
  (id: string, action: MessageAction) => sql`UPDATE message SET ${columns[action]} WHERE id = ${id}`,
  { samples: (['pause', 'resume', 'cancel'] as const).map((action) => ['', action] as const) },
);

/** The new attempt takes the lease from the worker that carries out an earlier action. */
const storeChange = command(
  ({ id, organisationId }: OwnedId, action: MessageAction) => sql`
    INSERT INTO message_change (message_id, organisation_id, action, next_attempt_at)
    VALUES (${id}, ${organisationId}, ${action}::message_action, ${dueNow})
    ON CONFLICT (message_id) DO UPDATE SET action = excluded.action, attempt = message_change.attempt + 1, stalls = 0,
      next_attempt_at = excluded.next_attempt_at, lease_holder = NULL, created_at = excluded.created_at, waits = false`,
  { samples: [[{ id: '', organisationId: '' }, 'pause']] },
);

export interface ChangeRequest {
  readonly owned: OwnedId;
  readonly action: MessageAction;
  /** The queue may deliver a request again, or its caller repeat it, after a later one was carried out. */
  readonly operationId: string;
}

/**
 * Stores what the organisation wants to happen to a message, and the job that does it. A claim that begins after the commit
 * leaves out the deliveries of a paused or canceled message; one that began before may be committed milliseconds later. No
 * further recipient is read from its smartlist.
 * @returns whether something changed; undefined if there is no such message @throws AppError 409
 */
export async function requestChange(
  transaction: Statements,
  { owned, action, operationId }: ChangeRequest,
): Promise<boolean | undefined> {
  const { id } = owned;
  // The status is read after the lock, by a statement that sees what was committed before it.
  const [message] = await transaction.run(lockMessage, owned);
  if (!message) return undefined;
  const [found] = await transaction.run(readStatus, id, operationId);
  if (!found || found.isRepeated) return false;
  await transaction.run(storeOperation, id, operationId);
  if (!isPossible(found, action)) return false;
  await transaction.run(storeAction, id, action);
  await transaction.run(action === 'resume' ? releaseExpansion : holdExpansion, id);
  await transaction.run(storeChange, owned, action);
  return true;
}

type Found = Pick<RowOf<typeof readStatus>, 'status' | 'isPaused'>;

/** False if the message is already in the state that is asked for. */
function isPossible({ status, isPaused }: Found, action: MessageAction): boolean {
  if (action === 'resume') return isPaused;
  if (status === 'completed') throw alreadyCompleted(action);
  if (action === 'cancel') return status !== 'canceled';
  if (status === 'canceled') throw alreadyCanceled();
  return !isPaused;
}
