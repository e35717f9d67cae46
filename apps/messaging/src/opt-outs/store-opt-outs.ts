import { hasEndpoints, type NewCallback, recordCallbacks } from '@gangan/callbacks';
import { formatTimestamp } from '@gangan/contracts';
import { type Channel, type OptOutSource, sql, type SqlRunner, statement, t, unnest } from '@gangan/database';

/** An opt-out belongs to an organisation, not to one of its senders: alphanumeric senders get no replies. */
export interface OptOutKey {
  readonly organisationId: string;
  readonly channel: Channel;
  /** E.164. */
  readonly phone: string;
}

export interface NewOptOut extends OptOutKey {
  readonly id: string;
  readonly source: OptOutSource;
  readonly createdAt: Date;
  /** The request that caused it. */
  readonly requestId: string;
}

/** Returns the new ones. They are inserted in the order of their keys, so that two transactions cannot deadlock. */
const insertOptOuts = statement(
  { id: t.uuid, hasEndpoints: t.bool },
  (optOuts: readonly NewOptOut[]) => sql`
    INSERT INTO opt_out (id, organisation_id, channel, phone, source, created_at)
    SELECT id, organisation_id, channel, phone, source, created_at FROM ${unnest('new', optOuts, {
      uuid: ['id', 'organisationId'],
      channel: ['channel'],
      text: ['phone'],
      opt_out_source: ['source'],
      timestamptz: ['createdAt'],
    })} ORDER BY organisation_id, phone, channel
    ON CONFLICT DO NOTHING
    RETURNING id, ${hasEndpoints(sql`opt_out.organisation_id`, ['recipient.opted_out'])} AS "hasEndpoints"`,
);

/**
 * Adds opt-outs, and the events of those that are new, in one transaction. An earlier opt-out stays.
 * @returns the ids of the callbacks, for `CallbackAnnouncer.announce` after the commit
 */
export async function storeOptOuts(transaction: SqlRunner, optOuts: readonly NewOptOut[]): Promise<string[]> {
  if (optOuts.length === 0) return [];
  const stored = await transaction.run(insertOptOuts, optOuts);
  const reported = new Set(stored.filter((row) => row.hasEndpoints).map(({ id }) => id));
  return recordCallbacks(transaction, optOuts.filter(({ id }) => reported.has(id)).map(optOutCallback));
}

function optOutCallback(optOut: NewOptOut): NewCallback {
  const { id, organisationId, requestId, phone, channel, source, createdAt } = optOut;
  const timestamp = formatTimestamp(createdAt);
  const data = { id, phone, channel, source, created_datetime: timestamp };
  const body = { type: 'recipient.opted_out' as const, timestamp, data };
  return { organisationId, resourceId: id, requestId, url: null, hasEndpoints: true, body };
}
