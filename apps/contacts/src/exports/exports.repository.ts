import { command, type ContactExport, Database, sql, statement, type Statements, t } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { parseDurations } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import type { FilterNode } from '../filters/filter.js';
import { type Count, countRows } from '../query/row-search.js';
import { Quotas } from '../quotas.js';
import type { Column } from '../tables/table.js';
import { inSnapshot, lockTable, readOnly } from '../transactions.js';
import { tooManyExports } from '../transfers/transfers.errors.js';
import { formatHeader } from './csv.js';

/** The most exports of a table, because their files fill the database. */
const maxExports = 20;

export interface NewExport {
  readonly id: string;
  readonly tableId: string;
  readonly filters: readonly FilterNode[];
  readonly columns: readonly Column[];
  readonly createdAt: Date;
}

/** How many rows match, and the snapshot in which they were counted. */
interface SnapshotCount extends Count {
  readonly snapshot: string;
}

@Injectable()
export class ExportsRepository {
  private readonly keptMs: number;

  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
    { CONTACT_EXPORT_KEPT_FOR: kept }: ContactsConfig,
  ) {
    [this.keptMs = 0] = parseDurations(kept) ?? [];
  }

  /** Does nothing if the export exists. @throws AppError 403 or 429 */
  async create(fields: NewExport): Promise<void> {
    const count = await this.countInSnapshot(fields);
    await this.database.transaction(async (transaction) => {
      await transaction.run(lockTable, fields.tableId);
      await this.checkLimit(transaction, fields);
      const header = Buffer.from(formatHeader(fields.columns));
      const created = await transaction.run(insertExport, fields, count, header);
      if (created > 0) await this.quotas.requireCounted(transaction, fields.tableId);
    });
  }

  find(tableId: string, id: string): Promise<ContactExport | null> {
    return readOnly(this.database.contactExport.findFirst({ where: { id, tableId } }));
  }

  list(tableId: string, before: string | undefined, limit: number): Promise<ContactExport[]> {
    const where = { tableId, ...(before !== undefined && { id: { lt: before } }) };
    return readOnly(this.database.contactExport.findMany({ where, orderBy: { id: 'desc' }, take: limit }));
  }

  async findPart(exportId: string, number: number): Promise<string | undefined> {
    const where = { exportId_number: { exportId, number } };
    const part = await readOnly(this.database.contactExportPart.findUnique({ where }));
    return part ? Buffer.from(part.data).toString() : undefined;
  }

  /** Deletes an export in any state, with its file; its worker loses the lease. Returns whether it existed. */
  async remove(tableId: string, id: string): Promise<boolean> {
    return (await this.database.contactExport.deleteMany({ where: { id, tableId } })).count > 0;
  }

  /** The limit is checked first, because counting may take seconds. */
  private countInSnapshot(fields: NewExport): Promise<SnapshotCount> {
    return inSnapshot(this.database, async (transaction, snapshot) => {
      await this.checkLimit(transaction, fields);
      return { snapshot, ...(await countRows(transaction, fields.tableId, fields.filters)) };
    });
  }

  private async checkLimit(transaction: Statements, { tableId, id }: NewExport): Promise<void> {
    const stored = await transaction.run(findStored, tableId, this.keptMs);
    if (stored.length < maxExports || stored.some((other) => other.id === id)) return;
    const left = stored.flatMap(({ secondsLeft }) => secondsLeft ?? []);
    throw tooManyExports(maxExports, left.length > 0 ? Math.min(...left) : this.keptMs / 1_000);
  }
}

const insertExport = command(
  (
    { id, tableId, filters, columns, createdAt }: NewExport,
    { snapshot, total, bounded }: SnapshotCount,
    header: Buffer,
  ) => sql`
    WITH created AS (
      INSERT INTO contact_export (id, table_id, filters, columns, snapshot, rows_total, parts, bytes, created_at,
        next_attempt_at)
      VALUES (${id}, ${tableId}, ${JSON.stringify(filters)}::jsonb, ${JSON.stringify(columns)}::jsonb,
        ${snapshot}::pg_snapshot, ${bounded ? null : total}::int, 1, ${header.length}, ${createdAt}, ${dueNow})
      ON CONFLICT DO NOTHING RETURNING id)
    INSERT INTO contact_export_part (export_id, number, data) SELECT id, 0, ${header}::bytea FROM created`,
);

/** Failed exports have no file and do not count. `secondsLeft` until an ended one is deleted. */
const findStored = statement(
  { id: t.uuid, secondsLeft: t.nullable(t.float) },
  (tableId: string, keptMs: number) => sql`
    SELECT id, extract(epoch FROM ended_at + ${keptMs}::float8 * interval '1 ms' - now())::float8 AS "secondsLeft"
    FROM contact_export WHERE table_id = ${tableId} AND state <> 'failed'`,
);
