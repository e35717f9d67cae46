import type { MessageStatus } from '@gangan/contracts';
import { command, type MessageAction, type Sql, sql, statement, type Statements, t } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { holdExpansion, releaseExpansion } from '../audience/hold-expansion.js';
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
  { status: t.textOf<MessageStatus>() },
  (id: string) => sql`SELECT ${statusOfMessage} AS status FROM message WHERE id = ${id}`,
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
      next_attempt_at = excluded.next_attempt_at, lease_holder = NULL, created_at = excluded.created_at`,
  { samples: [[{ id: '', organisationId: '' }, 'pause']] },
);

/**
 * Stores what the organisation wants to happen to a message, and the job that does it. From the commit on, no delivery of a
 * paused or canceled message is claimed, and no further recipient is read from its smartlist.
 * @returns whether something changed; undefined if there is no such message @throws AppError 409
 */
export async function requestChange(
  transaction: Statements,
  owned: OwnedId,
  action: MessageAction,
): Promise<boolean | undefined> {
  const { id } = owned;
  // The status is read after the lock, by a statement that sees what was committed before it.
  const [message] = await transaction.run(lockMessage, owned);
  if (!message) return undefined;
  const [{ status } = { status: 'completed' as const }] = await transaction.run(readStatus, id);
  if (!isPossible(status, action)) return false;
  await transaction.run(storeAction, id, action);
  await transaction.run(action === 'resume' ? releaseExpansion : holdExpansion, id);
  await transaction.run(storeChange, owned, action);
  return true;
}

/** False if the message is already in the state that is asked for. */
function isPossible(status: MessageStatus, action: MessageAction): boolean {
  if (action === 'resume') return status === 'paused';
  if (status === 'completed') throw alreadyCompleted(action);
  if (action === 'cancel') return status !== 'canceled';
  if (status === 'canceled') throw alreadyCanceled();
  return status !== 'paused';
}
