import * as t from '../sql/columns.js';
import { type RowOf, type Sql, sql, statement } from '../sql/statement.js';

/**
 * A query for what a contact table holds: `rows`, and the `bytes` of its cells, of the filters of its smartlists, of the
 * unfinished imports, of the rejected lines and of the exports. The sums of tallies are short: the contacts worker adds
 * them up every few seconds.
 */
export const contactUsage = (tableId: Sql): Sql => sql`
  SELECT (SELECT coalesce(sum(delta), 0) FROM contact_tally WHERE table_id = ${tableId})::int AS rows,
    ((SELECT coalesce(sum(delta), 0) FROM contact_size_tally WHERE table_id = ${tableId})
      + (SELECT coalesce(sum(bytes - taken), 0) FROM contact_import
         WHERE table_id = ${tableId} AND state IN ('uploading', 'queued', 'running'))
      + (SELECT coalesce(sum(rejected_bytes), 0) FROM contact_import WHERE table_id = ${tableId})
      + (SELECT coalesce(sum(bytes), 0) FROM contact_export
         WHERE table_id = ${tableId} AND state <> 'failed'))::bigint AS bytes`;

/**
 * A query for the bytes of the stored responses of an organisation. A response is deleted 24 hours after its request, so
 * those of an hour are gone 25 hours after its beginning.
 */
export const responseUsage = (organisationId: Sql): Sql => sql`
  SELECT coalesce(sum(bytes), 0)::bigint FROM response_tally
  WHERE organisation_id = ${organisationId} AND hour > now() - interval '25 hours'`;

/** How much an organisation stores of what its quotas limit. */
export type StoredUsage = RowOf<typeof findUsage>;

/** Use this only for operators: it counts every callback that waits, and every message that a test organisation received. */
export const findUsage = statement(
  {
    contactRows: t.int,
    storedBytes: t.bigint,
    unfinishedImports: t.int,
    waitingCallbacks: t.int,
    responseBytes: t.bigint,
    simulatedMessages: t.int,
  },
  (organisationId: string) => sql`
    SELECT coalesce(stored.rows, 0) AS "contactRows", coalesce(stored.bytes, 0) AS "storedBytes",
      (SELECT count(*) FROM contact_import
       WHERE table_id = contact_table.id AND state IN ('uploading', 'queued', 'running'))::int AS "unfinishedImports",
      (SELECT count(*) FROM callback
       WHERE callback.organisation_id = organisation.id AND state = 'pending')::int AS "waitingCallbacks",
      (${responseUsage(sql`organisation.id`)}) AS "responseBytes",
      (SELECT count(*) FROM incoming_message
       WHERE incoming_message.organisation_id = organisation.id AND organisation.mode = 'test')::int AS "simulatedMessages"
    FROM organisation LEFT JOIN contact_table ON contact_table.organisation_id = organisation.id
    LEFT JOIN LATERAL (${contactUsage(sql`contact_table.id`)}) AS stored ON true
    WHERE organisation.id = ${organisationId}`,
);
