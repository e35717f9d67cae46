import { recordCallbacks } from '@gangan/callbacks';
import type { ClickedLink } from '@gangan/contracts';
import { Database, sql, type Statements, StatementLoader } from '@gangan/database';
import { timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { byIndex } from '../by-index.js';
import { type FollowedLink, followedLinkColumns, reportsOf } from './click-report.js';
import { siftClicks, type SiftedClicks } from './sift-clicks.js';

export interface Counted {
  readonly counted: number;
  /** To be announced. */
  readonly callbackIds: readonly string[];
}

interface Click {
  readonly id: string;
  readonly code: string;
}

@Injectable()
export class LinkRepository {
  private readonly urls = new StatementLoader((codes: readonly string[]) => this.findAll(codes), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  /** Anybody may ask: whoever has the code has the link. */
  async urlOf(code: string): Promise<string | undefined> {
    return (await this.urls.load(code)).url;
  }

  /** Clicks, their number and their reports, all or none; those that were counted before are not counted again. */
  count(links: readonly ClickedLink[]): Promise<Counted> {
    return byIndex(this.database, async (transaction) => {
      const known = await lock(transaction, links);
      const clicked = links.filter(({ code }) => known.has(code));
      const sifted = await siftClicks(transaction, clicked);
      const fresh = await remember(transaction, sifted);
      const counted = await add(transaction, sifted, fresh);
      const callbackIds = await recordCallbacks(transaction, reportsOf(known, fresh));
      return { counted, callbackIds };
    });
  }

  private async findAll(codes: readonly string[]): Promise<{ url: string | undefined }[]> {
    const rows = await this.database.query<{ code: string; url: string }>(sql`
      SELECT asked.code, link.url FROM unnest(${[...codes]}::text[]) AS asked (code)
      CROSS JOIN LATERAL (SELECT url FROM tracked_link WHERE code = asked.code LIMIT 1) AS link`);
    const byCode = new Map(rows.map(({ code, url }) => [code, url]));
    return codes.map((code) => ({ url: byCode.get(code) }));
  }
}

/** In the order of their codes, so that two who count the same links wait for each other and never for ever. */
async function lock(
  transaction: Statements,
  links: readonly ClickedLink[],
): Promise<ReadonlyMap<string, FollowedLink>> {
  const codes = [...new Set(links.map(({ code }) => code))].sort();
  const rows = await transaction.query<FollowedLink>(sql`
    SELECT ${followedLinkColumns} FROM unnest(${codes}::text[]) AS asked (code)
    CROSS JOIN LATERAL (
      SELECT code, delivery_id, position FROM tracked_link WHERE code = asked.code LIMIT 1 FOR NO KEY UPDATE) AS link
    CROSS JOIN LATERAL (
      SELECT message_id, channel, recipient_given, state, created_at, updated_at, error_code, error_message
      FROM delivery WHERE id = link.delivery_id LIMIT 1) AS delivery
    CROSS JOIN LATERAL (
      SELECT id, organisation_id, request_id, external_ref, callback_url
      FROM message WHERE id = delivery.message_id LIMIT 1) AS message`);
  return new Map(rows.map((row) => [row.code, row]));
}

/** Gives those that were not known. */
function remember(transaction: Statements, links: readonly SiftedClicks[]): Promise<Click[]> {
  const clicks = links.flatMap(({ code, singly }) => singly.map((id) => ({ id, code })));
  return transaction.query<Click>(sql`
    INSERT INTO link_click (id, code, clicked_at)
    SELECT id, code, clicked_at FROM unnest(${clicks.map(({ id }) => id)}::uuid[],
      ${clicks.map(({ code }) => code)}::text[],
      ${clicks.map(({ id }) => timeOfId(id))}::timestamptz[]) AS click (id, code, clicked_at)
    ON CONFLICT DO NOTHING RETURNING id, code`);
}

async function add(
  transaction: Statements,
  links: readonly SiftedClicks[],
  fresh: readonly Click[],
): Promise<number> {
  const isFresh = new Set(fresh.map(({ id }) => id));
  const sums = new Map<string, { count: number; last: Date }>();
  for (const { code, ids, singly, more } of links) {
    const { count = 0, last = new Date(0) } = sums.get(code) ?? {};
    const latest = Math.max(last.getTime(), ...ids.map((id) => timeOfId(id).getTime()));
    const single = singly.filter((id) => isFresh.has(id)).length;
    sums.set(code, { count: count + single + more, last: new Date(latest) });
  }
  const [codes, added] = [[...sums.keys()], [...sums.values()]];
  if (codes.length === 0) return 0;
  await transaction.execute(sql`
    UPDATE tracked_link AS link SET clicks = link.clicks + click.count,
      clicked_at = greatest(link.clicked_at, click.last)
    FROM unnest(${codes}::text[], ${added.map(({ count }) => count)}::int[],
      ${added.map(({ last }) => last)}::timestamptz[]) AS click (code, count, last)
    WHERE link.code = ANY (${codes}::text[]) AND link.code = click.code`);
  return added.reduce((sum, { count }) => sum + count, 0);
}
