import { Database, type Prisma } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { columnInUse, noSuchColumn, tooMany } from '../contacts.errors.js';
import { changeStructure } from '../transactions.js';
import type { Column } from './table.js';

const maxColumns = 100;

@Injectable()
export class ColumnsRepository {
  constructor(private readonly database: Database) {}

  /** Does nothing if the column exists. */
  add(tableId: string, { options, ...column }: Column): Promise<void> {
    return changeStructure(this.database, tableId, 'column', async (transaction) => {
      const known = await transaction.contactColumn.findMany({ where: { tableId } });
      const current = known.filter(({ removedAt }) => removedAt === null);
      if (current.some(({ id }) => id === column.id)) return;
      if (current.length >= maxColumns) throw tooMany('columns', maxColumns);
      const position = Math.max(0, ...known.map((other) => other.position)) + 1;
      await transaction.contactColumn.create({
        data: { ...column, tableId, options: [...options], position },
      });
      await touch(transaction, tableId);
    });
  }

  change(tableId: string, id: string, { name, options }: Partial<Column>): Promise<void> {
    return this.update(tableId, id, {
      ...(name !== undefined && { name }),
      ...(options && { options: [...options] }),
    });
  }

  /** Hides the column at once. Its cells are cleared later, see retention. */
  remove(tableId: string, id: string): Promise<void> {
    return this.update(tableId, id, { removedAt: new Date() }, async (transaction) => {
      const users = await transaction.smartlist.findMany({
        where: { tableId, filters: { array_contains: [{ column_id: id }] } },
        orderBy: { id: 'asc' },
      });
      if (users.length > 0) throw columnInUse(users.map((smartlist) => smartlist.id));
    });
  }

  private update(
    tableId: string,
    id: string,
    data: Prisma.ContactColumnUpdateManyMutationInput,
    check?: (transaction: Prisma.TransactionClient) => Promise<void>,
  ): Promise<void> {
    return changeStructure(this.database, tableId, 'column', async (transaction) => {
      await check?.(transaction);
      const { count } = await transaction.contactColumn.updateMany({
        where: { id, tableId, removedAt: null },
        data,
      });
      if (count === 0) throw noSuchColumn();
      await touch(transaction, tableId);
    });
  }
}

const touch = (transaction: Prisma.TransactionClient, id: string): Promise<unknown> =>
  transaction.contactTable.update({ where: { id }, data: { updatedAt: new Date() } });
