import { type ContactFilter, formatTimestamp, type Smartlist } from '@gangan/contracts';
import { Database, type Prisma, type Smartlist as SmartlistModel } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { allContactsIsFixed, noSuchColumn, noSuchSmartlist, tooMany } from '../contacts.errors.js';
import { changeStructure, readOnly } from '../transactions.js';

const maxSmartlists = 500;

/** A smartlist as it is stored. Its filters name columns by id, because names may change. */
export type StoredSmartlist = Omit<SmartlistModel, 'filters'> & {
  readonly filters: readonly ContactFilter[];
};

export interface SmartlistFields {
  readonly name?: string;
  readonly filters?: readonly ContactFilter[];
}

@Injectable()
export class SmartlistsRepository {
  constructor(private readonly database: Database) {}

  /** The oldest first, so the smartlist of all contacts is the first. */
  async list(tableId: string): Promise<StoredSmartlist[]> {
    const found = this.database.smartlist.findMany({ where: { tableId }, orderBy: { id: 'asc' } });
    return (await readOnly(found)).map(toStored);
  }

  /** Without an id, the smartlist of all contacts. */
  async find(tableId: string, id?: string): Promise<StoredSmartlist | undefined> {
    const where = { tableId, ...(id === undefined ? { everyone: true } : { id }) };
    const found = await readOnly(this.database.smartlist.findFirst({ where }));
    return found ? toStored(found) : undefined;
  }

  /** Returns the existing smartlist if there is one with this id. */
  create(
    tableId: string,
    id: string,
    { name, filters }: Required<SmartlistFields>,
    createdAt: Date,
  ): Promise<StoredSmartlist> {
    return changeStructure(this.database, tableId, 'smartlist', async (transaction) => {
      const existing = await transaction.smartlist.findFirst({ where: { id, tableId } });
      if (existing) return toStored(existing);
      if ((await transaction.smartlist.count({ where: { tableId } })) >= maxSmartlists)
        throw tooMany('smartlists', maxSmartlists);
      await requireColumns(transaction, tableId, filters);
      const data = { id, tableId, name, filters: toJson(filters), createdAt };
      return toStored(await transaction.smartlist.create({ data }));
    });
  }

  change(tableId: string, id: string, { name, filters }: SmartlistFields): Promise<StoredSmartlist> {
    return changeStructure(this.database, tableId, 'smartlist', async (transaction) => {
      await findChangeable(transaction, tableId, id);
      if (filters) await requireColumns(transaction, tableId, filters);
      const data = {
        ...(name !== undefined && { name }),
        ...(filters && { filters: toJson(filters) }),
        updatedAt: new Date(),
      };
      return toStored(await transaction.smartlist.update({ where: { id, tableId }, data }));
    });
  }

  remove(tableId: string, id: string): Promise<StoredSmartlist> {
    return changeStructure(this.database, tableId, 'smartlist', async (transaction) => {
      await findChangeable(transaction, tableId, id);
      return toStored(await transaction.smartlist.delete({ where: { id, tableId } }));
    });
  }
}

async function findChangeable(transaction: Prisma.TransactionClient, tableId: string, id: string) {
  const found = await transaction.smartlist.findFirst({ where: { id, tableId } });
  if (!found) throw noSuchSmartlist();
  if (found.everyone) throw allContactsIsFixed();
}

/** The columns existed when the filters were checked; the lock on the table keeps them until the commit. */
async function requireColumns(
  transaction: Prisma.TransactionClient,
  tableId: string,
  filters: readonly ContactFilter[],
): Promise<void> {
  const ids = [...new Set(filters.map(({ column_id: id = '' }) => id))];
  const where = { tableId, removedAt: null, id: { in: ids } };
  if ((await transaction.contactColumn.count({ where })) < ids.length) throw noSuchColumn();
}

const toJson = (filters: readonly ContactFilter[]) => filters as unknown as Prisma.InputJsonArray;

const toStored = (row: SmartlistModel): StoredSmartlist => ({
  ...row,
  filters: row.filters as unknown as ContactFilter[],
});

export const formatSmartlist = (stored: StoredSmartlist): Smartlist => ({
  id: stored.id,
  name: stored.name,
  filters: [...stored.filters],
  created_datetime: formatTimestamp(stored.createdAt),
  updated_datetime: formatTimestamp(stored.updatedAt ?? stored.createdAt),
});
