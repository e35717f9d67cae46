import { command, type RowOf, sql, statement, type Statements, t } from '@gangan/database';

/** A query whose pages can be read later: its count and its snapshot are those of its first page. */
export type Scroll = RowOf<typeof selectScroll>;

const lifetime = sql`interval '15 minutes'`;

/** The bound of the column. No page with rows lies beyond. */
const maxPage = 2 ** 31 - 1;

/** Finds a scroll that has not expired, and extends its lifetime. */
export async function useScroll(
  transaction: Statements,
  id: string,
  tableId: string,
): Promise<Scroll | undefined> {
  const [scroll] = await transaction.run(selectScroll, id, tableId);
  if (scroll) await transaction.run(extendScroll, id);
  return scroll;
}

/** The nearest pages whose last row is known: `before` this page, 0 if there is none, and the `end` from it on. */
export async function findPageEnds(transaction: Statements, scrollId: string, page: number) {
  const wanted = Math.min(page, maxPage);
  const rows = await transaction.run(selectPageEnds, scrollId, wanted);
  const before = rows.find((row) => row.page < wanted);
  return {
    before: { page: before?.page ?? 0, end: before },
    end: rows.find((row) => row.page >= wanted),
  };
}

/** Does nothing if the scroll exists. */
export const insertScroll = command(
  ({ id, tableId, fingerprint, snapshot, perPage, total, bounded }: Scroll) => sql`
    INSERT INTO contact_scroll (id, table_id, fingerprint, snapshot, per_page, count_total, bounded, expires_at)
    VALUES (${id}, ${tableId}, ${fingerprint}, ${snapshot}::pg_snapshot, ${perPage}, ${total}, ${bounded},
      now() + ${lifetime})
    ON CONFLICT DO NOTHING`,
);

const selectScroll = statement(
  {
    id: t.uuid,
    tableId: t.uuid,
    fingerprint: t.bytes,
    snapshot: t.text,
    perPage: t.int,
    total: t.int,
    bounded: t.bool,
  },
  (id: string, tableId: string) => sql`
    SELECT id, table_id AS "tableId", fingerprint, snapshot::text, per_page AS "perPage", count_total AS total, bounded
    FROM contact_scroll WHERE id = ${id} AND table_id = ${tableId} AND expires_at > now()`,
);

const extendScroll = command(
  (id: string) => sql`
    UPDATE contact_scroll SET expires_at = now() + ${lifetime}
    WHERE id = ${id} AND expires_at < now() + ${lifetime} - interval '1 minute'`,
);

const selectPageEnds = statement(
  { page: t.int, lastId: t.uuid, lastKey: t.nullable(t.text) },
  (scrollId: string, page: number) => sql`
    (SELECT page, last_id AS "lastId", last_key AS "lastKey" FROM contact_scroll_page
     WHERE scroll_id = ${scrollId} AND page < ${page} ORDER BY page DESC LIMIT 1)
    UNION ALL
    (SELECT page, last_id AS "lastId", last_key AS "lastKey" FROM contact_scroll_page
     WHERE scroll_id = ${scrollId} AND page >= ${page} ORDER BY page LIMIT 1)`,
);

type PageEnd = RowOf<typeof selectPageEnds>;

/** A known page end never changes, so that no row moves from one page to another. */
export const insertPageEnds = command(
  (scrollId: string, ends: readonly PageEnd[]) => sql`
    INSERT INTO contact_scroll_page (scroll_id, page, last_id, last_key)
    SELECT ${scrollId}::uuid, page, last_id, last_key
    FROM unnest(${ends.map(({ page }) => page)}::int[], ${ends.map(({ lastId }) => lastId)}::uuid[],
      ${ends.map(({ lastKey }) => lastKey)}::text[]) AS ends (page, last_id, last_key)
    ON CONFLICT DO NOTHING`,
);
