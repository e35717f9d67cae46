import { command, Prisma, sql, type SqlRunner, statement } from '@gangan/database';
import { timeOfId } from '@gangan/protocol';
import { sampleScopes, type Scope } from '../search/scope.js';
import { foundShape, type Slice, type Source } from './source.js';
import { anyOf, inBytes } from '../search/text-search.js';

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

/** A row is identified by a JSON array, which is also its cursor: keys and paths may contain any separator. */
const id = Prisma.raw('json_build_array(key, method, path)::text');

type ClaimId = readonly [key: string, method: string, path: string];
const noClaim: ClaimId = ['', '', ''];
const claimOf = (text: string): ClaimId => (text === '' ? noClaim : (JSON.parse(text) as ClaimId));

const findAnswers = statement(
  foundShape,
  (scope: Scope, { after, limit }: Slice) => {
    const [key, method, path] = claimOf(after);
    const hit = anyOf((one) => sql`(NOT answer_sealed AND ${inBytes('answer_body')(one)})`);
    return sql`
      SELECT ${id} AS id, ${id} AS cursor, answer_status IS NOT NULL AND ${hit(scope)} AS hit FROM idempotency_claim
      WHERE organisation_id = ${scope.organisationId}::uuid AND (key, method, path) > (${key}, ${method}, ${path})
      ORDER BY key, method, path LIMIT ${limit}`;
  },
  { samples: sampleScopes.map((scope) => [scope, { after: '', limit: 1 }]) },
);

const clearAnswers = command(
  (organisationId: string, claims: readonly ClaimId[]) => sql`
    UPDATE idempotency_claim AS claim SET ${clear}
    FROM unnest(${claims.map(([key]) => key)}::text[], ${claims.map(([, method]) => method)}::text[],
      ${claims.map(([, , path]) => path)}::text[]) AS given (key, method, path)
    WHERE claim.organisation_id = ${organisationId}::uuid AND claim.key = given.key AND claim.method = given.method
      AND claim.path = given.path`,
);

/** Other stored responses. Those that are sealed are deleted after a day. */
export const answers: Source = {
  table: 'idempotency_claim',
  limit: 2_000,
  find: findAnswers,
  erase: (transaction, { organisationId }, ids) =>
    transaction.run(clearAnswers, organisationId, ids.map(claimOf)),
};
