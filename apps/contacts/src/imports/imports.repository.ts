import { maxImportProblems } from '@gangan/contracts';
import { command, type ContactImport, Database, sql, type Statements } from '@gangan/database';
import { type Lease, LeaseHolder, LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { Quotas } from '../quotas.js';
import type { UpsertResult } from '../rows/upserts.repository.js';
import { readOnly } from '../transactions.js';
import { type ClaimedTransfer, progressed, TransferLease } from '../transfers/transfer-lease.js';
import type { FilePosition } from './csv-lines.js';
import { recordImportEnd } from './import-callback.js';
import { formatRejected, type RejectedLine } from './rejected-lines.js';

/** The result of some lines, up to a position of the file. */
export interface LinesResult extends UpsertResult {
  readonly end: FilePosition;
  readonly rejected: readonly RejectedLine[];
}

@Injectable()
export class ImportsRepository {
  readonly lease: TransferLease;

  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
    holder: LeaseHolder,
  ) {
    this.lease = new TransferLease(database, 'import', holder, recordImportEnd);
  }

  find(tableId: string, id: string): Promise<ContactImport | null> {
    return readOnly(this.database.contactImport.findFirst({ where: { id, tableId } }));
  }

  list(tableId: string, before: string | undefined, limit: number): Promise<ContactImport[]> {
    const where = { tableId, ...(before !== undefined && { id: { lt: before } }) };
    return readOnly(this.database.contactImport.findMany({ where, orderBy: { id: 'desc' }, take: limit }));
  }

  /** @throws LeaseLostError */
  async read({ id, attempt }: ClaimedTransfer): Promise<ContactImport> {
    const found = await this.database.contactImport.findFirst({ where: { id, attempt, state: 'running' } });
    if (!found) throw new LeaseLostError();
    return found;
  }

  /** Reads the file from a position on. @throws LeaseLostError if another worker has finished with a part */
  async *parts({ id }: ClaimedTransfer, from: number, size: number): AsyncGenerator<Buffer> {
    for (let position = from; position < size;) {
      const part = await this.database.contactImportPart.findFirst({
        where: { importId: id, begins: { lte: position } },
        orderBy: { begins: 'desc' },
      });
      const rest = part?.data.subarray(position - Number(part.begins));
      if (!rest || rest.length === 0) throw new LeaseLostError();
      yield Buffer.from(rest);
      position += rest.length;
    }
  }

  async findRejectedPart(importId: string, number: number): Promise<string | undefined> {
    const where = { importId_number: { importId, number } };
    const part = await readOnly(this.database.contactRejectedPart.findUnique({ where }));
    return part ? Buffer.from(part.data).toString() : undefined;
  }

  /** Writes rows, rejected lines and the new position in one transaction. @throws LeaseLostError, AppError 403 if a quota is exceeded */
  async advance(
    claimed: ClaimedTransfer,
    write: (transaction: Statements) => Promise<LinesResult>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.lease.confirm(transaction, claimed);
      const result = await write(transaction);
      const parts = formatRejected(result.rejected).map((chunk) => Buffer.from(chunk));
      if (parts.length > 0) await transaction.run(insertRejected, claimed.id, parts);
      await transaction.run(writeProgress, claimed.id, this.lease.own, result, parts);
      await transaction.run(deletePartsBefore, claimed.id, result.end.bytes);
      if (parts.length > 0) await this.quotas.requireCounted(transaction, claimed.tableId);
    });
  }

  /** @throws LeaseLostError */
  async finish(claimed: ClaimedTransfer): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.lease.finish(transaction, claimed, sql`state = 'done', taken = bytes`);
      await this.lease.deleteParts(transaction, claimed);
    });
  }
}

/** Numbered from 1: the header line, which is not stored, is part 0. */
const insertRejected = command(
  (id: string, parts: readonly Buffer[]) => sql`
    INSERT INTO contact_rejected_part (import_id, number, data)
    SELECT id, rejected_parts + position, data
    FROM contact_import, unnest(${parts}::bytea[]) WITH ORDINALITY AS each (data, position) WHERE id = ${id}`,
);

const writeProgress = command(
  (id: string, own: Lease, { end, created, updated, rejected }: LinesResult, parts: readonly Buffer[]) => sql`
    UPDATE contact_import SET taken = ${end.bytes}, line = ${end.line}, ${progressed(own)},
      lines = lines + ${created + updated + rejected.length}::int, created = created + ${created}::int,
      updated = updated + ${updated}::int, rejected = rejected + ${rejected.length}::int,
      rejected_parts = rejected_parts + ${parts.length}::int,
      rejected_bytes = rejected_bytes + ${parts.reduce((sum, { length }) => sum + length, 0)}::int,
      problems = CASE WHEN jsonb_array_length(problems) < ${maxImportProblems} THEN jsonb_path_query_array(
        problems || ${JSON.stringify(rejected.slice(0, maxImportProblems).map(({ problem }) => problem))}::jsonb,
        ${`$[0 to ${maxImportProblems - 1}]`}::jsonpath) ELSE problems END
    WHERE id = ${id}`,
);

const deletePartsBefore = command(
  (id: string, position: number) => sql`
    DELETE FROM contact_import_part
    WHERE import_id = ${id} AND begins < ${position} AND begins + octet_length(data) <= ${position}`,
);
