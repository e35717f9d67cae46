import { command, Prisma, sql, type SqlRunner } from '@gangan/database';
import { timeOfId } from '@gangan/protocol';
import { anyOf, inBytes } from '../search/text-search.js';
import { inOrganisation } from './deleted-rows.js';
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

const clearAnswers = command(
  (organisationId: string, claims: string) => sql`
    UPDATE idempotency_claim AS claim SET ${clear} FROM json_array_elements(${claims}::json) AS given
    WHERE claim.organisation_id = ${organisationId}::uuid AND claim.key = given ->> 0 AND claim.method = given ->> 1
      AND claim.path = given ->> 2`,
);

const isAbout = anyOf((scope) => sql`(NOT answer_sealed AND ${inBytes('answer_body')(scope)})`);

/** Other stored responses. Those that are sealed are deleted after a day. */
export const answers: Source = {
  table: 'idempotency_claim',
  limit: 2_000,
  find: findIn('idempotency_claim', {
    key: 'json_build_array(key, method, path)',
    order: { key: 'text', method: 'text', path: 'text' },
    where: inOrganisation,
    hit: (scope) => sql`(answer_status IS NOT NULL AND ${isAbout(scope)})`,
  }),
  erase: (transaction, { organisationId }, claims) =>
    transaction.run(clearAnswers, organisationId, `[${claims.join(',')}]`),
};
