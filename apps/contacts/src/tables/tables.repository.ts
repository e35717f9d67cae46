import { Database, type Prisma, shareStatement, sql, statement, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { columnInUse, noSuchColumn, tooMany } from '../contacts.errors.js';
import { changeStructure } from '../transactions.js';
import type { Column, Table } from './table.js';

const maxColumns = 100;

const firstColumns: readonly Pick<Column, 'name' | 'type'>[] = [
  { name: 'Name', type: 'TEXT' },
  { name: 'Email', type: 'EMAIL' },
  { name: 'Mobile', type: 'PHONE NUMBER' },
];

@Injectable()
export class TablesRepository {
  private readonly find = shareStatement((owners: readonly string[]) => this.findAll(owners), {
    readOnly: true,
  });

  /** Creations in flight, by organisation. */
  private readonly creating = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly config: ContactsConfig,
  ) {}

  /** The first call for an organisation creates its table. */
  async findOrCreate(organisationId: string): Promise<Table> {
    const found = await this.find(organisationId);
    if (found) return found;
    await this.createOnce(organisationId);
    const [created] = await this.findAll([organisationId]);
    if (!created) throw new Error(`The contact table of ${organisationId} is missing after its creation`);
    return created;
  }

  /** Does nothing if the column exists. */
  addColumn(tableId: string, { options, ...column }: Column): Promise<void> {
    return changeStructure(this.database, tableId, 'column', async (transaction) => {
      const known = await transaction.contactColumn.findMany({
        where: { tableId },
        select: { id: true, position: true, removedAt: true },
      });
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

  /** Fields that are undefined stay as they are. */
  changeColumn(tableId: string, id: string, name?: string, options?: string[]): Promise<void> {
    return this.updateColumn(tableId, id, {
      ...(name !== undefined && { name }),
      ...(options && { options }),
    });
  }

  /** Hides the column at once. Its cells are cleared later, see retention. */
  removeColumn(tableId: string, id: string): Promise<void> {
    return this.updateColumn(tableId, id, { removedAt: new Date() }, async (transaction) => {
      const users = await transaction.smartlist.findMany({
        where: { tableId, OR: usesOf(id).map((use) => ({ filters: { array_contains: [use] } })) },
        orderBy: { id: 'asc' },
      });
      if (users.length > 0) throw columnInUse(users.map((smartlist) => smartlist.id));
    });
  }

  private updateColumn(
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

  private createOnce(organisationId: string): Promise<void> {
    const creating =
      this.creating.get(organisationId) ??
      this.create(organisationId).finally(() => this.creating.delete(organisationId));
    this.creating.set(organisationId, creating);
    return creating;
  }

  /** Another worker may create the table at the same time: the insert waits for it and then changes nothing. */
  private async create(organisationId: string): Promise<void> {
    const tableId = newId();
    await this.database.$transaction(async (transaction) => {
      const table = { id: tableId, organisationId };
      const { count } = await transaction.contactTable.createMany({ data: table, skipDuplicates: true });
      if (count === 0) return;
      await transaction.contactColumn.createMany({
        data: firstColumns.map((column, index) => ({ ...column, id: newId(), tableId, position: index + 1 })),
      });
      await transaction.smartlist.create({
        data: { id: newId(), tableId, name: 'All contacts', everyone: true },
      });
    });
  }

  private async findAll(owners: readonly string[]): Promise<(Table | undefined)[]> {
    const rows = await this.database.run(findTables, owners);
    const region = this.config.DEFAULT_REGION;
    const byOwner = new Map(
      rows.map(({ organisationId, ...table }) => [
        organisationId,
        { ...table, columns: table.columns.map((column) => ({ ...column, region })) },
      ]),
    );
    return owners.map((owner) => byOwner.get(owner));
  }
}

/** The forms in which filters of a smartlist refer to a column: directly, in a group, and in a group of a group. */
function usesOf(columnId: string): Prisma.InputJsonObject[] {
  const inGroups = (uses: readonly Prisma.InputJsonObject[]): Prisma.InputJsonObject[] =>
    uses.flatMap((use) => [{ any: [use] }, { all: [use] }]);
  const direct = [{ column_id: columnId }];
  return [...direct, ...inGroups(direct), ...inGroups(inGroups(direct))];
}

const findTables = statement(
  {
    organisationId: t.uuid,
    id: t.uuid,
    createdAt: t.timestamp,
    updatedAt: t.nullable(t.timestamp),
    columns: t.json<readonly Column[]>(),
  },
  (owners: readonly string[]) => sql`
    SELECT owner.id AS "organisationId", t.id, t.created_at AS "createdAt", t.updated_at AS "updatedAt", t.columns
    FROM unnest(${owners}::uuid[]) AS owner (id)
    CROSS JOIN LATERAL (
      SELECT id, created_at, updated_at,
        (SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'type', c.type, 'options', c.options)
            ORDER BY c.position, c.id), '[]')
         FROM contact_column c WHERE c.table_id = contact_table.id AND c.removed_at IS NULL) AS columns
      FROM contact_table WHERE organisation_id = owner.id LIMIT 1) AS t`,
);

const touch = (transaction: Prisma.TransactionClient, id: string): Promise<unknown> =>
  transaction.contactTable.update({ where: { id }, data: { updatedAt: new Date() } });
