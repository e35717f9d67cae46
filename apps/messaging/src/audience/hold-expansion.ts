import { command, sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';

/**
 * Stops the expansion of a paused or canceled message. The new attempt takes the lease from the worker that holds it, so
 * that it stores no further page. A page that is being stored is waited for.
 */
export const holdExpansion = command(
  (messageId: string) => sql`
    UPDATE message_expansion SET next_attempt_at = 'infinity', attempt = attempt + 1, lease_holder = NULL
    WHERE message_id = ${messageId} AND state = 'expanding'`,
);

/** Continues the expansion of a resumed message, but not before its time. */
export const releaseExpansion = command(
  (messageId: string) => sql`
    UPDATE message_expansion SET next_attempt_at = greatest(${dueNow}, message.send_at), stalls = 0
    FROM message WHERE message.id = message_id AND message_id = ${messageId} AND state = 'expanding'`,
);
