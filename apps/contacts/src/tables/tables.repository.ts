import { Database, sql, StatementLoader } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { Column } from './column.js';
import type { Table } from './table.js';

type TableRow = Table & { readonly organisationId: string };

const firstColumns: readonly Pick<Column, 'name' | 'type'>[] = [
  { name: 'Name', type: 'TEXT' },
  { name: 'Email', type: 'EMAIL' },
  { name: 'Mobile', type: 'PHONE NUMBER' },
];

const everyoneName = 'All contacts';

@Injectable()
export class TablesRepository {
  private readonly tables = new StatementLoader((owners: readonly string[]) => this.findAll(owners), {
    readOnly: true,
  });
  private readonly making = new Map<string, Promise<void>>();

  constructor(private readonly database: Database) {}

  /** The organisation's table, which its first reader makes. */
  async of(organisationId: string): Promise<Table> {
    const { found } = await this.tables.load(organisationId);
    if (found) return found;
    await this.makeOnce(organisationId);
    const [made] = await this.findAll([organisationId]);
    if (!made?.found) throw new Error('A contact table that was made is not there');
    return made.found;
  }

  private makeOnce(organisationId: string): Promise<void> {
    const making =
      this.making.get(organisationId) ??
      this.make(organisationId).finally(() => this.making.delete(organisationId));
    this.making.set(organisationId, making);
    return making;
  }

  /** Whoever else makes it at this moment is waited for, and nothing is done twice. */
  private async make(organisationId: string): Promise<void> {
    const id = newId();
    await this.database.transaction(async (transaction) => {
      const made = await transaction.execute(sql`
          INSERT INTO contact_table (id, organisation_id) VALUES (${id}, ${organisationId})
          ON CONFLICT (organisation_id) DO NOTHING`);
      if (made === 0) return;
      await transaction.execute(sql`
          INSERT INTO contact_column (id, table_id, name, type, position)
          SELECT column_id, ${id}::uuid, name, type, place
          FROM unnest(${firstColumns.map(() => newId())}::uuid[], ${firstColumns.map(({ name }) => name)}::text[],
            ${firstColumns.map(({ type }) => type)}::text[]) WITH ORDINALITY AS first (column_id, name, type, place)`);
      await transaction.execute(sql`
          INSERT INTO smartlist (id, table_id, name, everyone) VALUES (${newId()}, ${id}, ${everyoneName}, true)`);
    });
  }

  private async findAll(owners: readonly string[]): Promise<{ found: Table | undefined }[]> {
    const rows = await this.database.query<TableRow>(sql`
      SELECT owner.id AS "organisationId", t.id, t.created_at AS "createdAt", t.updated_at AS "updatedAt", t.columns
      FROM unnest(${owners}::uuid[]) AS owner (id)
      CROSS JOIN LATERAL (
        SELECT id, created_at, updated_at,
          (SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'type', c.type, 'options', c.options)
              ORDER BY c.position, c.id), '[]')
           FROM contact_column c WHERE c.table_id = contact_table.id AND c.removed_at IS NULL) AS columns
        FROM contact_table WHERE organisation_id = owner.id LIMIT 1) AS t`);
    const byOwner = new Map(rows.map(({ organisationId, ...table }) => [organisationId, table]));
    return owners.map((owner) => ({ found: byOwner.get(owner) }));
  }
}
