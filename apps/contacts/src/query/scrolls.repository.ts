import { sql, type Statements } from '@gangan/database';
import type { Count } from './row-search.js';

/** A query that can be gone on with. */
export interface Scroll {
  readonly id: string;
  readonly tableId: string;
  readonly fingerprint: Buffer;
  readonly snapshot: string;
  readonly perPage: number;
  readonly count: Count;
}

/** Known ends of pages around one of them. */
export interface Surroundings {
  /** The nearest page before it whose end is known, and that end; the beginning of all else. */
  readonly before: { readonly page: number; readonly lastId: string | undefined };
  /** The nearest end from this page on, if one is known; further pages follow it. */
  readonly end: { readonly page: number; readonly lastId: string } | undefined;
}

interface ScrollRow extends Omit<Scroll, 'count'> {
  readonly countTotal: number;
  readonly bounded: boolean;
}

const lifetime = sql`interval '15 minutes'`;

/** What the columns hold; no page with rows lies beyond. */
const highestPage = 2 ** 31 - 1;

/** Tells whether it did: one that is there already stays as it is. */
export async function keepScroll(transaction: Statements, scroll: Scroll): Promise<boolean> {
  const { id, tableId, fingerprint, snapshot, perPage, count } = scroll;
  const kept = await transaction.execute(sql`
    INSERT INTO contact_scroll (id, table_id, fingerprint, snapshot, per_page, count_total, bounded, expires_at)
    VALUES (${id}, ${tableId}, ${fingerprint}, ${snapshot}::pg_snapshot, ${perPage}, ${count.total}, ${count.bounded},
      now() + ${lifetime})
    ON CONFLICT DO NOTHING`);
  return kept > 0;
}

/** It lives on as long as it is used. */
export async function useScroll(
  transaction: Statements,
  id: string,
  tableId: string,
): Promise<Scroll | undefined> {
  const [row] = await transaction.query<ScrollRow>(sql`
    SELECT id, table_id AS "tableId", fingerprint, snapshot::text, per_page AS "perPage",
      count_total AS "countTotal", bounded
    FROM contact_scroll WHERE id = ${id} AND table_id = ${tableId} AND expires_at > now()`);
  if (!row) return undefined;
  await transaction.execute(sql`
    UPDATE contact_scroll SET expires_at = now() + ${lifetime}
    WHERE id = ${id} AND expires_at < now() + ${lifetime} - interval '1 minute'`);
  const { countTotal: total, bounded, ...scroll } = row;
  return { ...scroll, count: { total, bounded } };
}

export async function surroundingsOf(
  transaction: Statements,
  scrollId: string,
  page: number,
): Promise<Surroundings> {
  const wanted = Math.min(page, highestPage);
  const rows = await transaction.query<{ page: number; lastId: string }>(sql`
    (SELECT page, last_id AS "lastId" FROM contact_scroll_page
     WHERE scroll_id = ${scrollId} AND page < ${wanted} ORDER BY page DESC LIMIT 1)
    UNION ALL
    (SELECT page, last_id AS "lastId" FROM contact_scroll_page
     WHERE scroll_id = ${scrollId} AND page >= ${wanted} ORDER BY page LIMIT 1)`);
  return {
    before: rows.find((row) => row.page < wanted) ?? { page: 0, lastId: undefined },
    end: rows.find((row) => row.page >= wanted),
  };
}

/** What is known of a page stays as it is, so that no row moves from one page to another. */
export async function keepEnds(
  transaction: Statements,
  scrollId: string,
  ends: readonly { readonly page: number; readonly lastId: string }[],
): Promise<void> {
  if (ends.length === 0) return;
  await transaction.execute(sql`
    INSERT INTO contact_scroll_page (scroll_id, page, last_id)
    SELECT ${scrollId}::uuid, page, last_id
    FROM unnest(${ends.map(({ page }) => page)}::int[], ${ends.map(({ lastId }) => lastId)}::uuid[]) AS ends (page, last_id)
    ON CONFLICT DO NOTHING`);
}
