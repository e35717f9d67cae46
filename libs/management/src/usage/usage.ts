import { contactUsage, type Database, responseUsage, sql, statement, t } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';

const findUsage = statement(
  { organisation: t.text, requests: t.bigint, messages: t.bigint, money: t.bigint, storage: t.bigint },
  (since: Date, firstId: string) => sql`
    SELECT used.* FROM (
      SELECT account.name || '/' || organisation.mode AS organisation,
        (SELECT coalesce(sum(requests), 0)::bigint FROM response_tally
         WHERE organisation_id = organisation.id AND hour >= date_trunc('hour', ${since}::timestamptz)) AS requests,
        coalesce(sent.messages, 0) AS messages,
        (SELECT coalesce(sum(CASE to_account WHEN 'revenue' THEN kobo ELSE -kobo END), 0)::bigint FROM ledger_movement
         WHERE organisation_id = organisation.id AND kind IN ('charge', 'refund', 'post', 'loss')
           AND id >= ${firstId}::uuid) AS money,
        coalesce(stored.bytes, 0) + (${responseUsage(sql`organisation.id`)}) AS storage
      FROM organisation JOIN account ON account.id = organisation.account_id
      LEFT JOIN contact_table ON contact_table.organisation_id = organisation.id
      LEFT JOIN LATERAL (${contactUsage(sql`contact_table.id`)}) AS stored ON contact_table.id IS NOT NULL
      LEFT JOIN (SELECT organisation_id, count(*) AS messages FROM delivery WHERE id >= ${firstId}::uuid
        GROUP BY organisation_id) AS sent ON sent.organisation_id = organisation.id) AS used
    WHERE requests <> 0 OR messages <> 0 OR money <> 0 OR storage <> 0
    ORDER BY organisation`,
);

/** The organisations that were active since then or store anything, with money in kobo and storage in bytes. */
export const usageSince = (database: Database, since: Date) =>
  database.run(findUsage, since, firstIdAt(since));
