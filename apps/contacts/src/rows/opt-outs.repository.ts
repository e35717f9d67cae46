import { channels } from '@gangan/contracts';
import { type Channel, Database, shareStatement, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Table } from '../tables/table.js';
import type { OptOuts, Row } from './row.js';

interface RowsWithPhones {
  readonly organisationId: string;
  readonly tableId: string;
  readonly phoneColumns: readonly string[];
  readonly ids: readonly string[];
}

/**
 * The compared form of a phone number is E.164, like that of opt-outs. An organisation without opt-outs costs no read of
 * its rows.
 */
const findOptOuts = statement(
  { id: t.uuid, channel: t.enumOf<Channel>('channel') },
  (tables: readonly RowsWithPhones[]) => {
    const rows = tables.flatMap(({ organisationId, tableId, ids }) =>
      ids.map((id) => ({ organisationId, tableId, id })),
    );
    const columns = [...new Map(tables.map((table) => [table.tableId, table.phoneColumns]))].flatMap(
      ([tableId, ids]) => ids.map((id) => ({ tableId, id })),
    );
    return sql`
    SELECT DISTINCT asked.id, own.channel
    FROM ${unnest('asked', rows, { uuid: ['organisationId', 'tableId', 'id'] })}
    CROSS JOIN LATERAL (
      SELECT FROM opt_out WHERE organisation_id = asked.organisation_id LIMIT 1) AS existing
    CROSS JOIN LATERAL (
      SELECT cells, matched FROM contact_row WHERE table_id = asked.table_id AND id = asked.id LIMIT 1) AS stored
    JOIN ${unnest('phone', columns, { uuid: ['tableId'], text: ['id'] })} ON phone.table_id = asked.table_id
    CROSS JOIN LATERAL (
      SELECT channel FROM opt_out WHERE organisation_id = asked.organisation_id
        AND phone = coalesce(stored.matched ->> phone.id, stored.cells ->> phone.id)
      LIMIT ${channels.length}) AS own
    ORDER BY asked.id, own.channel`;
  },
);

@Injectable()
export class OptOutsRepository {
  private readonly load = shareStatement(
    async (tables: readonly RowsWithPhones[]): Promise<OptOuts[]> => {
      const found = new Map<string, Channel[]>();
      for (const { id, channel } of await this.database.run(findOptOuts, tables))
        found.set(id, [...(found.get(id) ?? []), channel]);
      return tables.map(() => found);
    },
    { readOnly: true },
  );

  constructor(private readonly database: Database) {}

  /** Rows that are known to have no phone numbers are not read. */
  find(
    organisationId: string,
    table: Table,
    rows: readonly (Pick<Row, 'id'> & Partial<Row>)[],
  ): Promise<OptOuts> {
    const phoneColumns = table.columns.filter(({ type }) => type === 'PHONE NUMBER').map(({ id }) => id);
    const ids = rows
      .filter(({ cells }) => phoneColumns.some((id) => !cells || cells[id] !== undefined))
      .map(({ id }) => id);
    if (ids.length === 0) return Promise.resolve(new Map());
    return this.load({ organisationId, tableId: table.id, phoneColumns, ids });
  }
}
