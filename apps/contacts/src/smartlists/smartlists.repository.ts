import type { AnyContactFilter } from '@gangan/contracts';
import { Database, type Prisma, type Smartlist } from '@gangan/database';
import { timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { allContactsIsFixed, noSuchColumn, noSuchSmartlist, tooMany } from '../contacts.errors.js';
import { columnIdsOf } from '../filters/resolve-filters.js';
import { type Addition, Quotas } from '../quotas.js';
import { changeStructure, readOnly } from '../transactions.js';

const maxSmartlists = 500;

@Injectable()
export class SmartlistsRepository {
  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
  ) {}

  /** The oldest first, so the smartlist of all contacts is the first. */
  list(tableId: string): Promise<Smartlist[]> {
    return readOnly(this.database.smartlist.findMany({ where: { tableId }, orderBy: { id: 'asc' } }));
  }

  /** Without an id, finds the smartlist of all contacts. */
  find(tableId: string, id?: string): Promise<Smartlist | null> {
    const where = { tableId, ...(id === undefined ? { everyone: true } : { id }) };
    return readOnly(this.database.smartlist.findFirst({ where }));
  }

  /** Returns the existing smartlist if there is one with this id. @throws AppError 403 if a quota is exceeded */
  async create(
    tableId: string,
    id: string,
    name: string,
    filters: readonly AnyContactFilter[],
  ): Promise<Smartlist> {
    const [excess] = await this.quotas.check(this.database, [sizeOf(tableId, filters)]);
    return changeStructure(this.database, tableId, 'smartlist', async (transaction) => {
      const existing = await transaction.smartlist.findFirst({ where: { id, tableId } });
      if (existing) return existing;
      if (excess) throw excess;
      if ((await transaction.smartlist.count({ where: { tableId } })) >= maxSmartlists)
        throw tooMany('smartlists', maxSmartlists);
      await requireColumns(transaction, tableId, filters);
      const data = { id, tableId, name, filters: toJson(filters), createdAt: timeOfId(id) };
      return transaction.smartlist.create({ data });
    });
  }

  /** Fields that are undefined stay as they are. @throws AppError 403 if a quota is exceeded */
  async change(
    tableId: string,
    id: string,
    name?: string,
    filters?: readonly AnyContactFilter[],
  ): Promise<Smartlist> {
    const [excess] = await this.quotas.check(this.database, [sizeOf(tableId, filters ?? [])]);
    return changeStructure(this.database, tableId, 'smartlist', async (transaction) => {
      await findChangeable(transaction, tableId, id);
      if (excess) throw excess;
      if (filters) await requireColumns(transaction, tableId, filters);
      const data = {
        ...(name !== undefined && { name }),
        ...(filters && { filters: toJson(filters) }),
        updatedAt: new Date(),
      };
      return transaction.smartlist.update({ where: { id, tableId }, data });
    });
  }

  remove(tableId: string, id: string): Promise<Smartlist> {
    return changeStructure(this.database, tableId, 'smartlist', async (transaction) => {
      await findChangeable(transaction, tableId, id);
      return transaction.smartlist.delete({ where: { id, tableId } });
    });
  }
}

/** As for rows, what a change replaces is not subtracted. Without filters nothing is added. */
const sizeOf = (tableId: string, filters: readonly AnyContactFilter[]): Addition => ({
  tableId,
  rows: 0,
  bytes: filters.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(filters)),
});

async function findChangeable(transaction: Prisma.TransactionClient, tableId: string, id: string) {
  const found = await transaction.smartlist.findFirst({ where: { id, tableId } });
  if (!found) throw noSuchSmartlist();
  if (found.everyone) throw allContactsIsFixed();
}

/** The columns existed when the filters were checked; the lock on the table keeps them until the commit. */
async function requireColumns(
  transaction: Prisma.TransactionClient,
  tableId: string,
  filters: readonly AnyContactFilter[],
): Promise<void> {
  const ids = columnIdsOf(filters);
  const where = { tableId, removedAt: null, id: { in: ids } };
  if ((await transaction.contactColumn.count({ where })) < ids.length) throw noSuchColumn();
}

const toJson = (filters: readonly AnyContactFilter[]) => filters as unknown as Prisma.InputJsonArray;
