import { command, Database, type RowOf, sql, statement, t } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const batchSize = 500;

/**
 * Waits a minute, until requests that checked cells against the column have written them. Not a model call: it runs
 * every minute, and an idle worker should not load the Prisma client.
 */
const findRemovedColumn = statement(
  { id: t.uuid, tableId: t.uuid },
  () => sql`
    SELECT id, table_id AS "tableId" FROM contact_column
    WHERE removed_at < now() - interval '1 minute' ORDER BY removed_at LIMIT 1`,
);

const clearRows = command(
  (tableId: string, columnId: string, ids: readonly string[]) => sql`
    UPDATE contact_row SET cells = cells - ${columnId}::text, matched = matched - ${columnId}::text
    WHERE table_id = ${tableId} AND id = ANY (${ids}::uuid[]) AND cells ? ${columnId}::text`,
);

/** Clears the cells of columns that were removed, and then deletes the columns. */
@Injectable()
export class RemovedColumns {
  private clearing: { readonly column: RowOf<typeof findRemovedColumn>; readonly after: string } | undefined;

  constructor(private readonly database: Database) {}

  /** Clears one column after the other. The position is only in memory: starting again does no harm. */
  @Periodic('clearing cells of removed columns', 60_000)
  async clear(): Promise<boolean> {
    const { column = (await this.database.run(findRemovedColumn))[0], after = nilUuid } = this.clearing ?? {};
    if (!column) return false;
    const { id, tableId } = column;
    const rows = await this.database.contactRow.findMany({
      where: { tableId, id: { gt: after } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: batchSize,
    });
    const ids = rows.map((row) => row.id);
    await this.database.run(clearRows, tableId, id, ids);
    const last = ids[batchSize - 1];
    this.clearing = last === undefined ? undefined : { column, after: last };
    if (last === undefined)
      await this.database.contactColumn.deleteMany({ where: { id, removedAt: { not: null } } });
    return true;
  }
}
