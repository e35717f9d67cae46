import { growthIdOf, refund } from '@gangan/billing';
import { command, type RowOf, sql, statement, type Statements, t } from '@gangan/database';
import type { ClaimedExpansion } from './expansion-lease.js';

export type ExpansionOf = Pick<ClaimedExpansion, 'messageId' | 'organisationId'>;

/** The cost so far, and what was charged: `growth` when the list was opened, the rest on acceptance. */
export const moneyShape = { spent: t.bigint, charged: t.bigint, growth: t.bigint };

export const moneyColumns = sql`
  expansion.charge_kobo AS spent, expansion.growth_kobo AS growth,
  message.charge_kobo + expansion.growth_kobo AS charged`;

/** Works without a claim: no worker holds the expansion of a canceled message. */
export const lockUnfinished = statement(
  moneyShape,
  (messageId: string) => sql`
    SELECT ${moneyColumns} FROM message_expansion AS expansion JOIN message ON message.id = expansion.message_id
    WHERE expansion.message_id = ${messageId} AND expansion.state::text = 'expanding' FOR NO KEY UPDATE OF expansion`,
);

interface ExpansionEnd extends RowOf<typeof lockUnfinished> {
  readonly state: 'done' | 'failed' | 'canceled';
  /** Why the expansion has failed. */
  readonly reason: string | null;
}

const storeEnd = command(
  (messageId: string, { state, reason }: Pick<ExpansionEnd, 'state' | 'reason'>) => sql`
    UPDATE message_expansion SET state = ${state}::expansion_state, error_message = ${reason}, list = '', charged_prices = NULL,
      next_attempt_at = NULL, lease_holder = NULL, ended_at = now()
    WHERE message_id = ${messageId}`,
  { samples: [['', { state: 'done', reason: null }]] },
);

/** Ends the expansion and refunds the rest of the charge. The row is locked by this transaction. */
export async function endExpansion(
  transaction: Statements,
  { messageId, organisationId }: ExpansionOf,
  { charged, spent, growth, ...end }: ExpansionEnd,
): Promise<void> {
  await transaction.run(storeEnd, messageId, end);
  const rest = charged - spent;
  // The growth is refunded first: it was charged last, and may be of the same day.
  const ofGrowth = rest < growth ? rest : growth;
  const refundOf = (id: string, kobo: bigint) => ({ subjectId: id, chargeId: id, organisationId, kobo });
  const receipts = await refund(transaction, [
    refundOf(messageId, rest - ofGrowth),
    refundOf(growthIdOf(messageId), ofGrowth),
  ]);
  if (!receipts.every(({ moved }) => moved))
    throw new Error(`The rest of message ${messageId} has already been refunded`);
}
