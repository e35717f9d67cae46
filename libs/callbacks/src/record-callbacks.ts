import type { CallbackBody } from '@gangan/contracts';
import { sql, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';

/** Something that a consumer asked to be told. */
export interface Report {
  readonly organisationId: string;
  /** The message or purchase it is about. */
  readonly resourceId: string;
  /** Of the HTTP request that caused it. */
  readonly requestId: string;
  readonly url: string;
  readonly body: CallbackBody;
}

/** A column keeps thousandths of a second and rounds: what is due now would be due half a thousandth later. */
const atOnce = sql`date_trunc('milliseconds', now())`;

/**
 * Writes reports down, in the transaction of what they tell of: both are there, or neither. From then on the row sees
 * to its own delivery. Gives the rows' ids, to be announced after the commit.
 */
export async function recordCallbacks(
  transaction: Pick<Statements, 'execute'>,
  reports: readonly Report[],
): Promise<string[]> {
  if (reports.length === 0) return [];
  const ids = reports.map(() => newId());
  await transaction.execute(sql`
    INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, due_since,
      next_attempt_at)
    SELECT id, organisation_id, type, resource_id, url, host, body, request_id, ${atOnce}, ${atOnce}
    FROM unnest(${ids}::uuid[],
      ${reports.map(({ organisationId }) => organisationId)}::uuid[],
      ${reports.map(({ body }) => body.type)}::text[],
      ${reports.map(({ resourceId }) => resourceId)}::uuid[],
      ${reports.map(({ url }) => url)}::text[],
      ${reports.map(({ url }) => hostOf(url))}::text[],
      ${reports.map(({ body }) => JSON.stringify(body))}::text[],
      ${reports.map(({ requestId }) => requestId)}::text[])
      AS report (id, organisation_id, type, resource_id, url, host, body, request_id)`);
  return ids;
}

/** What is no URL is never sent, so that it needs no place of its own. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');
