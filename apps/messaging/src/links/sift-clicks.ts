import { type ClickedLink, maxIndividualClicks } from '@gangan/contracts';
import { sql, type Statements } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';

const aMinute = 60_000;

/** What is new of a link's clicks: those that are written down and told of one by one, and how many more there are. */
export interface SiftedClicks {
  readonly code: string;
  /** All that have an id. */
  readonly ids: readonly string[];
  readonly singly: readonly string[];
  readonly more: number;
}

/**
 * Leaves out what was told before, which its first click tells. Of one link only so many in a minute are for
 * themselves, from whichever gateway they come; the links are locked.
 */
export async function siftClicks(
  transaction: Statements,
  links: readonly ClickedLink[],
): Promise<SiftedClicks[]> {
  const rows = await transaction.query<{ place: number; told: boolean; lately: number }>(sql`
    SELECT asked.place::int, known.id IS NOT NULL AS told, lately.clicks AS lately
    FROM unnest(${links.map(({ code }) => code)}::text[], ${links.map(({ ids }) => ids[0] ?? null)}::uuid[])
      WITH ORDINALITY AS asked (code, first, place)
    LEFT JOIN LATERAL (SELECT id FROM link_click WHERE id = asked.first LIMIT 1) AS known ON true
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS clicks FROM (
        SELECT FROM link_click
        WHERE code = asked.code AND id >= ${firstIdAt(new Date(Date.now() - aMinute))}::uuid
        LIMIT ${maxIndividualClicks}) AS few) AS lately`);
  const used = new Map<string, number>();
  return rows.flatMap(({ place, told, lately }) => {
    const link = links[place - 1];
    if (!link || told) return [];
    const { code, ids, more } = link;
    const taken = lately + (used.get(code) ?? 0);
    const singly = ids.slice(0, Math.max(0, maxIndividualClicks - taken));
    used.set(code, (used.get(code) ?? 0) + singly.length);
    return [{ code, ids, singly, more: more + ids.length - singly.length }];
  });
}
