import type { ContactFilter } from '@gangan/contracts';
import { Database, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { everyoneIsFixed, nameTaken, noSuchColumn, noSuchSmartlist, tooMany } from '../contacts.errors.js';
import { reading } from '../reading.js';
import { changeStructure } from '../tables/structure.js';
import type { KeptSmartlist } from './kept-smartlist.js';

const mostSmartlists = 500;

export interface SmartlistFields {
  readonly name?: string;
  readonly filters?: readonly ContactFilter[];
}

const fields = sql`id, name, filters, everyone, created_at AS "createdAt", updated_at AS "updatedAt"`;

@Injectable()
export class SmartlistsRepository {
  constructor(private readonly database: Database) {}

  /** The oldest first, so that the one of all contacts is the first. */
  list(tableId: string): Promise<KeptSmartlist[]> {
    return reading(
      this.database.query(sql`SELECT ${fields} FROM smartlist WHERE table_id = ${tableId} ORDER BY id`),
    );
  }

  /** Without an id, the one of all contacts. */
  async find(tableId: string, id?: string): Promise<KeptSmartlist | undefined> {
    const which = id === undefined ? sql`everyone` : sql`id = ${id}::uuid`;
    const [found] = await reading(
      this.database.query<KeptSmartlist>(
        sql`SELECT ${fields} FROM smartlist WHERE table_id = ${tableId} AND ${which}`,
      ),
    );
    return found;
  }

  /** One that is there already stays as it is. */
  create(
    tableId: string,
    id: string,
    { name, filters }: Required<SmartlistFields>,
    createdAt: Date,
  ): Promise<KeptSmartlist> {
    return changeStructure(this.database, tableId, async (transaction) => {
      const [count] = await transaction.query<{ many: number; mine: boolean }>(sql`
        SELECT count(*)::int AS many, coalesce(bool_or(id = ${id}), false) AS mine
        FROM smartlist WHERE table_id = ${tableId}`);
      if (!count?.mine) {
        if ((count?.many ?? 0) >= mostSmartlists) throw tooMany('smartlists', mostSmartlists);
        await refuseTaken(transaction, tableId, id, name);
        await requireColumns(transaction, tableId, filters);
        await transaction.execute(sql`
          INSERT INTO smartlist (id, table_id, name, filters, created_at)
          VALUES (${id}, ${tableId}, ${name}, ${JSON.stringify(filters)}::jsonb, ${createdAt})`);
      }
      return own(transaction, tableId, id);
    });
  }

  change(tableId: string, id: string, { name, filters }: SmartlistFields): Promise<KeptSmartlist> {
    return changeStructure(this.database, tableId, async (transaction) => {
      if ((await own(transaction, tableId, id)).everyone) throw everyoneIsFixed();
      if (name !== undefined) await refuseTaken(transaction, tableId, id, name);
      if (filters) await requireColumns(transaction, tableId, filters);
      await transaction.execute(sql`
        UPDATE smartlist SET name = coalesce(${name ?? null}, name), updated_at = now(),
          filters = coalesce(${filters ? JSON.stringify(filters) : null}::jsonb, filters)
        WHERE id = ${id} AND table_id = ${tableId}`);
      return own(transaction, tableId, id);
    });
  }

  /** Gives it as it was. */
  remove(tableId: string, id: string): Promise<KeptSmartlist> {
    return changeStructure(this.database, tableId, async (transaction) => {
      const kept = await own(transaction, tableId, id);
      if (kept.everyone) throw everyoneIsFixed();
      await transaction.execute(sql`DELETE FROM smartlist WHERE id = ${id} AND table_id = ${tableId}`);
      return kept;
    });
  }
}

async function own(transaction: Statements, tableId: string, id: string): Promise<KeptSmartlist> {
  const [found] = await transaction.query<KeptSmartlist>(
    sql`SELECT ${fields} FROM smartlist WHERE id = ${id} AND table_id = ${tableId}`,
  );
  if (!found) throw noSuchSmartlist();
  return found;
}

async function refuseTaken(
  transaction: Statements,
  tableId: string,
  id: string,
  name: string,
): Promise<void> {
  const [taken] = await transaction.query(
    sql`SELECT id FROM smartlist WHERE table_id = ${tableId} AND name = ${name} AND id <> ${id}`,
  );
  if (taken) throw nameTaken('smartlist');
}

/** They were there a moment ago; from now on nobody removes them. */
async function requireColumns(
  transaction: Statements,
  tableId: string,
  filters: readonly ContactFilter[],
): Promise<void> {
  const wanted = new Set(filters.map(({ column_id: id = '' }) => id));
  const known = await transaction.query(sql`
    SELECT id FROM contact_column
    WHERE table_id = ${tableId} AND removed_at IS NULL AND id = ANY (${[...wanted]}::uuid[])`);
  if (known.length < wanted.size) throw noSuchColumn();
}
