import { type Database, Prisma, sql, statement, t } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import { findOrganisation } from '@gangan/management';
import { isNumber, sampleScopes, type Scope } from './search/scope.js';
import { inOrganisation, plainTables } from './tables/deleted-rows.js';

const samples = sampleScopes.map((scope): [Scope] => [scope]);
/** Organisations, and items of each, that an error names. */
const maxListed = { organisations: 20, items: 5 };

const findUnfinished = statement(
  { what: t.text, id: t.text, note: t.nullable(t.text) },
  (scope: Scope) => {
    const organisation = sql`organisation_id = ${scope.organisationId}::uuid`;
    const open = sql`state IN ('queued', 'submitting', 'sent')`;
    return sql`
      (SELECT 'message' AS what, message_id::text AS id, (
          SELECT CASE WHEN paused_at IS NOT NULL THEN 'paused' WHEN send_at > now() THEN 'scheduled' END
          FROM message WHERE message.id = delivery.message_id) AS note FROM delivery
        WHERE ${organisation} AND message_id IS NOT NULL AND ${isNumber('recipient', scope)} AND ${open} LIMIT 1000)
      UNION ALL
      (SELECT 'OTP', id::text, NULL FROM otp WHERE ${organisation} AND ${isNumber('recipient', scope)}
        AND ((status = 1 AND due_at IS NOT NULL)
          OR EXISTS (SELECT FROM delivery WHERE otp_id = otp.id AND otp_id IS NOT NULL AND ${open})) LIMIT 1000)
      UNION ALL
      (SELECT 'airtime purchase', id::text, NULL FROM airtime_purchase WHERE ${organisation} AND ${isNumber('recipient', scope)}
        AND state NOT IN ('success', 'failed', 'duplicate') LIMIT 1000)`;
  },
  { samples },
);

/** Jobs that have the number in what they have stored so far. */
const findRunning = statement(
  { what: t.text, id: t.text, note: t.nullable(t.text) },
  (scope: Scope) => {
    const files = plainTables.filter(({ rows }) => rows.parts);
    const jobs = files.map(
      ({ table, owned, hit }) => sql`
        SELECT ${table.replace('_', ' ')} AS what, id::text AS id, NULL AS note FROM ${Prisma.raw(table)} AS own
        WHERE ${owned(scope)} AND ended_at IS NULL AND ${hit(scope)}`,
    );
    return sql`
      ${Prisma.join(jobs, ' UNION ALL ')}
      UNION ALL
      SELECT 'smartlist message', message_id::text, NULL FROM message_expansion
        WHERE ${inOrganisation(scope)} AND state = 'expanding' AND ${scope.phone === null}`;
  },
  { samples },
);

const advice: Readonly<Record<string, string>> = {
  message: `Messages under way end within DELIVERY_VALIDITY. Those that are paused or scheduled stay until they are sent: cancel them with POST /sms/{id}/cancel.`,
  'airtime purchase': `Purchases that are not settled: pnpm admin airtime resolve.`,
};

/**
 * @param remark prints what is open, by organisation
 * @throws CommandError while something that is about the scope is not final: money may still move for it
 */
export async function assertFinal(
  database: Database,
  scopes: readonly Scope[],
  remark: (line: string) => void,
): Promise<void> {
  let [count, organisations] = [0, 0];
  const kinds = new Set<string>();
  for (const scope of scopes) {
    const items = [
      ...(await database.run(findUnfinished, scope)),
      ...(await database.run(findRunning, scope)),
    ];
    if (items.length === 0) continue;
    count += items.length;
    organisations += 1;
    for (const { what } of items) kinds.add(what);
    if (organisations > maxListed.organisations) continue;
    const { label } = await findOrganisation(database, scope.organisationId);
    const named = items
      .slice(0, maxListed.items)
      .map(({ what, id, note }) => `${what} ${id}${note === null ? '' : ` (${note})`}`);
    const more = items.length > maxListed.items ? ` and ${items.length - maxListed.items} more` : '';
    remark(`${label}: ${named.join(', ')}${more}`);
  }
  if (count === 0) return;
  const unlisted = organisations - maxListed.organisations;
  if (unlisted > 0) remark(`and ${unlisted} more ${unlisted === 1 ? 'organisation' : 'organisations'}`);
  for (const kind of kinds) if (advice[kind] !== undefined) remark(advice[kind]);
  const next =
    scopes.length > 1
      ? 'Erase the number in the other organisations with --organisation, or run the command again when all are final.'
      : 'Run the command again when all are final.';
  throw new CommandError(
    `Nothing was erased: ${count} ${count === 1 ? 'item is' : 'items are'} not final yet. ${next}`,
  );
}
