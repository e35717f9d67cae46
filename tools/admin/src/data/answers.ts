import { command, Prisma, sql, type SqlRunner } from '@gangan/database';
import { timeOfId } from '@gangan/protocol';
import { inBytesOf } from './scope.js';
import { findIn, type Source } from './source.js';

/** Longer than responses are stored. */
const storedMs = 2 * 86_400_000;

const clear = Prisma.raw(
  'answer_status = NULL, answer_type = NULL, answer_body = NULL, answer_sealed = false',
);

const clearOfOperations = command(
  (organisationId: string, operationIds: readonly string[]) => sql`
    UPDATE idempotency_claim SET ${clear}
    WHERE organisation_id = ${organisationId}::uuid AND operation_id = ANY (${operationIds}::uuid[])
      AND answer_status IS NOT NULL`,
);

/**
 * Deletes the stored responses to the requests that created these rows. The keys stay: a repeated request finds its row
 * and is not carried out again.
 */
export async function redactAnswers(
  transaction: SqlRunner,
  organisationId: string,
  operationIds: readonly string[],
): Promise<void> {
  const recent = operationIds.filter((id) => timeOfId(id).getTime() > Date.now() - storedMs);
  if (recent.length > 0) await transaction.run(clearOfOperations, organisationId, recent);
}

const key = `(key || ' ' || method || ' ' || path)`;

const clearAnswers = command(
  (organisationId: string, keys: readonly string[]) => sql`
    UPDATE idempotency_claim SET ${clear}
    WHERE organisation_id = ${organisationId}::uuid AND ${Prisma.raw(key)} = ANY (${keys}::text[])`,
);

/** Other stored responses. Those that are sealed with `QUEUE_KEY` are deleted after a day. */
export const answers: Source = {
  table: 'idempotency_claim',
  limit: 2_000,
  find: findIn('idempotency_claim', {
    key,
    type: 'text',
    where: ({ organisationId }) =>
      sql`organisation_id = ${organisationId}::uuid AND answer_status IS NOT NULL`,
    hit: ({ phone, pattern }) =>
      phone === null
        ? sql`true`
        : sql`(NOT answer_sealed AND encode(answer_body, 'escape') ~ ${inBytesOf(pattern)})`,
  }),
  erase: (transaction, { organisationId }, keys) => transaction.run(clearAnswers, organisationId, keys),
};
