import { type Database, sql, statement, t } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import { isNumber, sampleScopes, type Scope } from './scope.js';
import { anyOf, inFile, inText } from './text-search.js';

const samples = sampleScopes.map((scope): [Scope] => [scope]);
const maxListed = 5;

const findUnfinished = statement(
  { what: t.text, id: t.text },
  (scope: Scope) => {
    const organisation = sql`organisation_id = ${scope.organisationId}::uuid`;
    const open = sql`state IN ('queued', 'submitting', 'sent')`;
    return sql`
      (SELECT 'message' AS what, message_id::text AS id FROM delivery
        WHERE ${organisation} AND message_id IS NOT NULL AND ${isNumber('recipient', scope)} AND ${open} LIMIT 1000)
      UNION ALL
      (SELECT 'OTP', id::text FROM otp WHERE ${organisation} AND ${isNumber('recipient', scope)}
        AND ((status = 1 AND due_at IS NOT NULL)
          OR EXISTS (SELECT FROM delivery WHERE otp_id = otp.id AND otp_id IS NOT NULL AND ${open})) LIMIT 1000)
      UNION ALL
      (SELECT 'airtime purchase', id::text FROM airtime_purchase WHERE ${organisation} AND ${isNumber('recipient', scope)}
        AND state NOT IN ('success', 'failed', 'duplicate') LIMIT 1000)`;
  },
  { samples },
);

/** Jobs that have the number in what they have stored so far. */
const findRunning = statement(
  { what: t.text, id: t.text },
  (scope: Scope) => {
    const ofOrganisation = sql`organisation_id = ${scope.organisationId}::uuid`;
    const ofTable = sql`table_id = (SELECT id FROM contact_table WHERE ${ofOrganisation})`;
    const inImport = anyOf(
      inText('problems::text'),
      inFile('contact_import_part', 'import_id'),
      inFile('contact_rejected_part', 'import_id'),
    );
    const inExport = anyOf(inText('filters::text'), inFile('contact_export_part', 'export_id'));
    const inBatch = anyOf(inText("array_to_string(phones, ' ')"), inFile('lookup_batch_part', 'batch_id'));
    return sql`
      SELECT 'contact import' AS what, id::text AS id FROM contact_import AS own
        WHERE ${ofTable} AND ended_at IS NULL AND ${inImport(scope)}
      UNION ALL
      SELECT 'contact export', id::text FROM contact_export AS own
        WHERE ${ofTable} AND ended_at IS NULL AND ${inExport(scope)}
      UNION ALL
      SELECT 'lookup batch', id::text FROM lookup_batch AS own
        WHERE ${ofOrganisation} AND ended_at IS NULL AND ${inBatch(scope)}
      UNION ALL
      SELECT 'smartlist message', message_id::text FROM message_expansion
        WHERE ${ofOrganisation} AND state = 'expanding' AND ${scope.phone === null}`;
  },
  { samples },
);

/** @throws CommandError while something that is about the scope is not final: money may still move for it */
export async function assertFinal(database: Database, scopes: readonly Scope[]): Promise<void> {
  const open: { what: string; id: string }[] = [];
  for (const scope of scopes) {
    open.push(...(await database.run(findUnfinished, scope)), ...(await database.run(findRunning, scope)));
  }
  if (open.length === 0) return;
  const listed = open.slice(0, maxListed).map(({ what, id }) => `${what} ${id}`);
  const more = open.length > maxListed ? ` and ${open.length - maxListed} more` : '';
  throw new CommandError(
    `Nothing was erased: ${open.length} ${open.length === 1 ? 'item is' : 'items are'} not final yet (${listed.join(', ')}${more}). Wait until they end, cancel the messages or resolve the purchases, and run the command again.`,
  );
}
