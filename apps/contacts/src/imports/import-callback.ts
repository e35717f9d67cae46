import { hasEndpoints, recordCallbacks } from '@gangan/callbacks';
import { formatTimestamp, type ImportCallbackData } from '@gangan/contracts';
import { sql, type SqlRunner, statement, t } from '@gangan/database';
import type { ClaimedTransfer } from '../transfers/transfer-lease.js';

const findEnded = statement(
  {
    state: t.enumOf<ImportCallbackData['state']>('contact_transfer_state'),
    lines: t.int,
    created: t.int,
    updated: t.int,
    rejected: t.int,
    reason: t.nullable(t.text),
    createdAt: t.timestamp,
    endedAt: t.timestamp,
  },
  ({ id, organisationId }: ClaimedTransfer) => sql`
    SELECT state, lines, created, updated, rejected, reason, created_at AS "createdAt", ended_at AS "endedAt"
    FROM contact_import WHERE id = ${id} AND ${hasEndpoints(sql`${organisationId}::uuid`)}`,
);

/** Reports the end of an import to the endpoints of its organisation, in the transaction that ends it. */
export async function recordImportEnd(transaction: SqlRunner, claimed: ClaimedTransfer): Promise<void> {
  const { id, organisationId } = claimed;
  const [ended] = await transaction.run(findEnded, claimed);
  if (!ended) return;
  const { state, lines, created, updated, rejected, reason } = ended;
  const timestamp = formatTimestamp(ended.endedAt);
  const data: ImportCallbackData = {
    id,
    state,
    lines,
    created,
    updated,
    rejected,
    ...(reason !== null && { reason }),
    created_datetime: formatTimestamp(ended.createdAt),
    ended_datetime: timestamp,
  };
  const body = { type: 'import.finished' as const, timestamp, data };
  // No request caused the callback.
  const report = { organisationId, resourceId: id, requestId: id, url: null, hasEndpoints: true, body };
  await recordCallbacks(transaction, [report]);
}
