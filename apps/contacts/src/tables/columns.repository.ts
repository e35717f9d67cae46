import { Database, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { columnInUse, nameTaken, noSuchColumn, tooMany } from '../contacts.errors.js';
import type { Column } from './column.js';
import { changeStructure } from './structure.js';

const mostColumns = 100;

@Injectable()
export class ColumnsRepository {
  constructor(private readonly database: Database) {}

  /** One that is there already stays as it is. */
  add(tableId: string, { id, name, type, options }: Column): Promise<void> {
    return changeStructure(this.database, tableId, async (transaction) => {
      const known = await this.known(transaction, tableId);
      if (known.some((column) => column.id === id)) return;
      if (known.length >= mostColumns) throw tooMany('columns', mostColumns);
      await refuseTaken(transaction, tableId, id, name);
      await transaction.execute(sql`
        INSERT INTO contact_column (id, table_id, name, type, options, position)
        SELECT ${id}, ${tableId}, ${name}, ${type}, ${options}::text[], coalesce(max(position), 0) + 1
        FROM contact_column WHERE table_id = ${tableId}`);
      await touch(transaction, tableId);
    });
  }

  change(tableId: string, id: string, { name, options }: Partial<Column>): Promise<void> {
    return changeStructure(this.database, tableId, async (transaction) => {
      if (name !== undefined) await refuseTaken(transaction, tableId, id, name);
      const changed = await transaction.execute(sql`
        UPDATE contact_column SET name = coalesce(${name ?? null}, name), options = coalesce(${options ?? null}::text[], options)
        WHERE id = ${id} AND table_id = ${tableId} AND removed_at IS NULL`);
      if (changed === 0) throw noSuchColumn();
      await touch(transaction, tableId);
    });
  }

  /** Nobody sees it from now on; its cells are taken out of the rows later. */
  remove(tableId: string, id: string): Promise<void> {
    return changeStructure(this.database, tableId, async (transaction) => {
      const users = await transaction.query<{ id: string }>(sql`
        SELECT id FROM smartlist WHERE table_id = ${tableId}
          AND filters @> jsonb_build_array(jsonb_build_object('column_id', ${id}::text)) ORDER BY id`);
      if (users.length > 0) throw columnInUse(users.map((smartlist) => smartlist.id));
      const removed = await transaction.execute(sql`
        UPDATE contact_column SET removed_at = now()
        WHERE id = ${id} AND table_id = ${tableId} AND removed_at IS NULL`);
      if (removed === 0) throw noSuchColumn();
      await touch(transaction, tableId);
    });
  }

  private known(transaction: Statements, tableId: string): Promise<{ id: string }[]> {
    return transaction.query(sql`
      SELECT id FROM contact_column WHERE table_id = ${tableId} AND removed_at IS NULL`);
  }
}

async function refuseTaken(
  transaction: Statements,
  tableId: string,
  id: string,
  name: string,
): Promise<void> {
  const [taken] = await transaction.query(sql`
    SELECT id FROM contact_column
    WHERE table_id = ${tableId} AND lower(name) = lower(${name}) AND removed_at IS NULL AND id <> ${id}`);
  if (taken) throw nameTaken('column');
}

const touch = (transaction: Statements, tableId: string): Promise<number> =>
  transaction.execute(sql`UPDATE contact_table SET updated_at = now() WHERE id = ${tableId}`);
