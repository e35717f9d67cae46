import { type Channel, sql, type SqlRunner, statement, t, unnest } from '@gangan/database';
import type { OptOutKey } from '../opt-outs/store-opt-outs.js';

export interface SentKeyword extends OptOutKey {
  readonly sentAt: Date;
}

/** Sorted, so that two transactions cannot deadlock. */
const storeLatest = statement(
  { organisationId: t.uuid, phone: t.text, channel: t.enumOf<Channel>('channel') },
  (keywords: readonly SentKeyword[]) => sql`
    INSERT INTO last_keyword AS known (organisation_id, phone, channel, sent_at)
    SELECT organisation_id, phone, channel, sent_at FROM ${unnest('new', keywords, {
      uuid: ['organisationId'],
      text: ['phone'],
      channel: ['channel'],
      timestamptz: ['sentAt'],
    })} ORDER BY organisation_id, phone, channel
    ON CONFLICT (organisation_id, phone, channel) DO UPDATE SET sent_at = excluded.sent_at
      WHERE known.sent_at <= excluded.sent_at
    RETURNING organisation_id AS "organisationId", phone, channel`,
);

export const keyOf = ({ organisationId, channel, phone }: OptOutKey): string =>
  `${organisationId} ${channel} ${phone}`;

/**
 * @param keywords at most one for each number
 * @returns the keywords that are the latest of their number
 */
export async function takeLatest<K extends SentKeyword>(
  transaction: SqlRunner,
  keywords: readonly K[],
): Promise<K[]> {
  if (keywords.length === 0) return [];
  const latest = new Set((await transaction.run(storeLatest, keywords)).map(keyOf));
  return keywords.filter((keyword) => latest.has(keyOf(keyword)));
}
