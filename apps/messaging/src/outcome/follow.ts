import { refund } from '@gangan/billing';
import { type NewCallback, recordCallbacks } from '@gangan/callbacks';
import { type MessageCallback, formatTimestamp } from '@gangan/contracts';
import { sql, type Statements } from '@gangan/database';
import { type Change, isNews } from './change.js';

interface Consumer {
  readonly id: string;
  readonly callbackUrl: string;
  readonly externalRef: string | null;
  readonly requestId: string;
}

/**
 * What follows from changes, in their transaction: reports to consumers, then the money of those marked as refunded,
 * last because it locks wallets. Gives the callbacks to announce.
 */
export async function follow(transaction: Statements, changes: readonly Change[]): Promise<string[]> {
  const callbackIds = await recordCallbacks(transaction, await reportsOf(transaction, changes));
  await giveBack(
    transaction,
    changes.filter(({ refunded }) => refunded),
  );
  return callbackIds;
}

async function reportsOf(transaction: Statements, changes: readonly Change[]): Promise<NewCallback[]> {
  const news = changes.filter(isNews).filter(({ messageId }) => messageId !== null);
  const consumers = await consumersOf(transaction, [...new Set(news.map(({ messageId }) => messageId))]);
  return news.flatMap((change) => {
    const consumer = consumers.get(change.messageId ?? '');
    return consumer ? [reportOf(change, consumer)] : [];
  });
}

/** Of those messages whose sender wants to be told. */
async function consumersOf(
  transaction: Statements,
  messageIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, Consumer>> {
  if (messageIds.length === 0) return new Map();
  const rows = await transaction.query<Consumer>(sql`
    SELECT found.* FROM unnest(${messageIds}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id, callback_url AS "callbackUrl", external_ref AS "externalRef", request_id AS "requestId"
      FROM message WHERE id = named.id AND callback_url IS NOT NULL LIMIT 1) found`);
  return new Map(rows.map((row) => [row.id, row]));
}

function reportOf(
  change: Change & { state: MessageCallback['data']['status'] },
  { id, callbackUrl: url, externalRef, requestId }: Consumer,
): NewCallback {
  const updated = formatTimestamp(change.updatedAt ?? new Date());
  const data = {
    id,
    delivery_id: change.id,
    channel: change.channel,
    recipient: change.recipientGiven,
    status: change.state,
    ...(change.errorCode !== null && {
      reason: { code: change.errorCode, message: change.errorMessage ?? '' },
    }),
    ...(externalRef !== null && { external_ref: externalRef }),
    created_datetime: formatTimestamp(change.createdAt),
    updated_datetime: updated,
  };
  const body: MessageCallback = { type: `message.${change.state}`, timestamp: updated, data };
  return { organisationId: change.organisationId, resourceId: id, requestId, url, body };
}

/** The row said that it was paid for, and was not given back yet: otherwise nothing of this may be kept. */
async function giveBack(transaction: Statements, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const members = changes.map(({ id, organisationId, kobo }) => ({ subjectId: id, organisationId, kobo }));
  const receipts = await refund(transaction, members);
  const unmoved = members.find((_, place) => receipts[place]?.moved !== true);
  if (unmoved) throw new Error(`The money of delivery ${unmoved.subjectId} was given back before`);
}
