import { type ContactImportProblem, maxImportProblems } from '@gangan/contracts';
import { command, type ContactImport, Database, sql, type Statements } from '@gangan/database';
import { type Lease, LeaseHolder, LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import type { UpsertResult } from '../rows/upserts.repository.js';
import { readOnly } from '../transactions.js';
import { type ClaimedTransfer, progressed, TransferLease } from '../transfers/transfer-lease.js';
import type { FilePosition } from './csv-lines.js';
import { recordImportEnd } from './import-callback.js';

/** The result of some lines, up to a position of the file. */
export interface LinesResult extends UpsertResult {
  readonly end: FilePosition;
  readonly problems: readonly ContactImportProblem[];
}

@Injectable()
export class ImportsRepository {
  readonly lease: TransferLease;

  constructor(
    private readonly database: Database,
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

  /** The file from a position on, part by part. @throws LeaseLostError if another worker has finished with a part */
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

  /** Writes rows and the new position in one transaction. @throws LeaseLostError */
  async advance(
    claimed: ClaimedTransfer,
    write: (transaction: Statements) => Promise<LinesResult>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.lease.confirm(transaction, claimed);
      const result = await write(transaction);
      await transaction.run(writeProgress, claimed.id, this.lease.own, result);
      await transaction.run(deletePartsBefore, claimed.id, result.end.bytes);
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

const writeProgress = command(
  (id: string, own: Lease, { end, created, updated, problems }: LinesResult) => sql`
    UPDATE contact_import SET taken = ${end.bytes}, line = ${end.line}, ${progressed(own)},
      lines = lines + ${created + updated + problems.length}::int, created = created + ${created}::int,
      updated = updated + ${updated}::int, rejected = rejected + ${problems.length}::int,
      problems = CASE WHEN jsonb_array_length(problems) < ${maxImportProblems} THEN jsonb_path_query_array(
        problems || ${JSON.stringify(problems.slice(0, maxImportProblems))}::jsonb,
        ${`$[0 to ${maxImportProblems - 1}]`}::jsonpath) ELSE problems END
    WHERE id = ${id}`,
);

const deletePartsBefore = command(
  (id: string, position: number) => sql`
    DELETE FROM contact_import_part
    WHERE import_id = ${id} AND begins < ${position} AND begins + octet_length(data) <= ${position}`,
);
