import { type Database, Prisma, type RowOf, sql, statement, t } from '@gangan/database';
import { isNumber, sampleScopes, type Scope } from './search/scope.js';
import { inOrganisation, plainTables } from './tables/deleted-rows.js';

/** `note` says why a message waits. Of jobs with files, those that have the number in what they have stored so far. */
const findUnfinished = statement(
  { what: t.text, id: t.text, note: t.nullable(t.text) },
  (scope: Scope) => {
    const own = sql`${inOrganisation(scope)} AND ${isNumber('recipient', scope)}`;
    const open = sql`state IN ('queued', 'submitting', 'sent')`;
    const jobs = plainTables.filter(({ rows }) => rows.parts);
    const running = jobs.map(
      ({ table, owned, hit }) => sql`
        SELECT ${table.replace('_', ' ')}, id::text, NULL FROM ${Prisma.raw(table)} AS own
        WHERE ${owned(scope)} AND ended_at IS NULL AND ${hit(scope)}`,
    );
    return sql`
      (SELECT 'message' AS what, message_id::text AS id, (
          SELECT CASE WHEN paused_at IS NOT NULL THEN 'paused' WHEN send_at > now() THEN 'scheduled' END
          FROM message WHERE message.id = delivery.message_id) AS note FROM delivery
        WHERE ${own} AND message_id IS NOT NULL AND ${open} LIMIT 1000)
      UNION ALL
      (SELECT 'OTP', id::text, NULL FROM otp WHERE ${own} AND ((status = 1 AND due_at IS NOT NULL)
          OR EXISTS (SELECT FROM delivery WHERE otp_id = otp.id AND otp_id IS NOT NULL AND ${open})) LIMIT 1000)
      UNION ALL
      (SELECT 'airtime purchase', id::text, NULL FROM airtime_purchase
        WHERE ${own} AND state NOT IN ('success', 'failed', 'duplicate') LIMIT 1000)
      UNION ALL ${Prisma.join(running, ' UNION ALL ')}
      UNION ALL
      SELECT 'smartlist message', message_id::text, NULL FROM message_expansion
        WHERE ${inOrganisation(scope)} AND state = 'expanding' AND ${scope.phone === null}`;
  },
  { samples: sampleScopes.map((scope): [Scope] => [scope]) },
);

export interface UnfinishedWork {
  readonly organisationId: string;
  readonly items: readonly RowOf<typeof findUnfinished>[];
}

/** What is not final in these scopes, by organisation: money may still move for it. */
export async function unfinishedWork(
  database: Database,
  scopes: readonly Scope[],
): Promise<UnfinishedWork[]> {
  const unfinished: UnfinishedWork[] = [];
  for (const scope of scopes) {
    const items = await database.run(findUnfinished, scope);
    if (items.length > 0) unfinished.push({ organisationId: scope.organisationId, items });
  }
  return unfinished;
}
