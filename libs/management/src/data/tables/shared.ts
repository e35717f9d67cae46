import type { ParsedPhone } from '@gangan/contracts';
import { command, type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { InboundContents } from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';
import { pagesOf } from '../../pages.js';
import { patternsOf } from '../search/number-pattern.js';
import type { EraseTools } from './source.js';

/** What does not belong to one organisation. */

export type Json = Readonly<Record<string, unknown>>;

export const deleteFinding = command((phone: string) => sql`DELETE FROM live_finding WHERE phone = ${phone}`);

export const deleteFindingsOf = command(
  (organisationId: string) => sql`DELETE FROM live_finding WHERE organisation_id = ${organisationId}::uuid`,
);

const findShared = statement(
  { lookups: t.json<readonly Json[]>(), registries: t.json<readonly Json[]>() },
  (phone: string) => sql`
    SELECT (SELECT coalesce(jsonb_agg(jsonb_build_object('operator', operator, 'country', country, 'ported', ported,
          'dnd', dnd, 'line_type', line_type, 'roaming', roaming, 'provider', provider, 'kept_until', kept_until)), '[]')
        FROM live_finding WHERE phone = ${phone}) AS lookups,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('registry', import.registry, 'source', import.source,
          'operator', number.operator)), '[]')
        FROM (SELECT import_id, operator FROM ported_number WHERE phone = ${phone}
          UNION ALL SELECT import_id, NULL FROM dnd_number WHERE phone = ${phone}) AS number
        JOIN registry_import AS import ON import.id = number.import_id WHERE import.state = 'active') AS registries`,
);

/** The results of lookups, and the entries of the registries. */
export const sharedData = async (database: SqlRunner, phone: string) =>
  (await database.run(findShared, phone))[0] ?? { lookups: [], registries: [] };

const readRequests = statement(
  { id: t.uuid, provider: t.text, received_at: t.timestamp, content: t.bytes },
  (after: string, limit: number) => sql`
    SELECT id, provider, received_at, sealed_content AS content FROM inbound_request
    WHERE state <> 'received' AND id > ${after}::uuid ORDER BY id LIMIT ${limit}`,
);

export interface ProviderRequest {
  readonly id: string;
  readonly provider: string;
  readonly received_at: Date;
}

/** Requests of providers that contain the number. Each has to be opened; those that cannot be opened are counted. */
export async function* requestsWith(
  runner: SqlRunner,
  phone: ParsedPhone,
  { sealer, region, onUnreadable }: EraseTools,
): AsyncGenerator<ProviderRequest[]> {
  const contents = new InboundContents(sealer);
  const limit = 200;
  const patterns = patternsOf(phone, region);
  const [digits, number] = [new RegExp(patterns.digits), new RegExp(patterns.text)];
  const isIn = (text: string): boolean => digits.test(text) && number.test(text);
  const pages = pagesOf<RowOf<typeof readRequests>>(limit, (last) =>
    runner.run(readRequests, last?.id ?? nilUuid, limit),
  );
  for await (const rows of pages) {
    const found = rows.filter(({ id, content }) => {
      try {
        const { query, body } = contents.open(content, id);
        return isIn(decodeURIComponent(query.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))) || isIn(body);
      } catch {
        onUnreadable('requests of providers');
        return false;
      }
    });
    if (found.length > 0) yield found;
  }
}

const countUnread = statement(
  { count: t.int },
  () => sql`SELECT count(*)::int AS count FROM (
    SELECT FROM inbound_request WHERE state = 'received' LIMIT 100000) AS unread`,
);

/** Requests that a worker has not read yet are not searched. */
export const unreadRequests = async (database: SqlRunner): Promise<number> =>
  (await database.run(countUnread))[0]?.count ?? 0;

const storeContent = command(
  (id: string, content: Buffer) => sql`
    UPDATE inbound_request SET sealed_content = ${content}, fault = NULL
    WHERE id = ${id}::uuid AND state <> 'received'`,
);

/** The row stays, so that a request that the provider sends again is not read again. */
export async function eraseRequests(
  transaction: SqlRunner,
  sealer: DataSealer,
  found: readonly ProviderRequest[],
): Promise<number> {
  const contents = new InboundContents(sealer);
  let stored = 0;
  for (const { id } of found)
    stored += await transaction.run(storeContent, id, contents.seal({ query: '', body: '' }, id));
  return stored;
}
