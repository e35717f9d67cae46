import { hasEndpoints, type NewCallback, recordCallbacks } from '@gangan/callbacks';
import { formatTimestamp } from '@gangan/contracts';
import {
  type Channel,
  command,
  type OptOutSource,
  sql,
  type SqlRunner,
  statement,
  t,
  unnest,
} from '@gangan/database';

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

/** Returns the new opt-outs. Inserted in the order of their keys, so that transactions cannot deadlock. */
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

interface OptIn extends OptOutKey {
  /** Later opt-outs stay: the message that opts in may be read after one that opts out again. */
  readonly until: Date;
}

const deleteOptOuts = command(
  (optIns: readonly OptIn[]) => sql`
    DELETE FROM opt_out WHERE id = ANY (ARRAY(
      SELECT found.id FROM ${unnest('asked', optIns, {
        uuid: ['organisationId'],
        channel: ['channel'],
        text: ['phone'],
        timestamptz: ['until'],
      })}
      CROSS JOIN LATERAL (
        SELECT id FROM opt_out WHERE organisation_id = asked.organisation_id AND phone = asked.phone
          AND channel = asked.channel AND created_at <= asked.until LIMIT 1) AS found))`,
);

/** Removes opt-outs, whatever their source. */
export async function removeOptOuts(transaction: SqlRunner, optIns: readonly OptIn[]): Promise<void> {
  if (optIns.length > 0) await transaction.run(deleteOptOuts, optIns);
}

function optOutCallback(optOut: NewOptOut): NewCallback {
  const { id, organisationId, requestId, phone, channel, source, createdAt } = optOut;
  const timestamp = formatTimestamp(createdAt);
  const data = { id, phone, channel, source, created_datetime: timestamp };
  const body = { type: 'recipient.opted_out' as const, timestamp, data };
  return { organisationId, resourceId: id, requestId, url: null, hasEndpoints: true, body };
}
