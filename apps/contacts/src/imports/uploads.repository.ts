import type { ContactDateFormat } from '@gangan/contracts';
import { command, Database, sql, statement, type Statements, t } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { Quotas } from '../quotas.js';
import { lockTable } from '../transactions.js';
import {
  anotherFile,
  missingPart,
  noSuchImport,
  tooManyImports,
  tooManyUploads,
} from '../transfers/transfers.errors.js';
import type { Header } from './header.js';

export interface NewImport extends Header {
  readonly delimiter: string;
  readonly dateFormat: ContactDateFormat;
  readonly createdAt: Date;
}

/** A part of the file, from the byte `begins` on. */
export interface FilePart {
  readonly id: string;
  readonly tableId: string;
  readonly begins: number;
  readonly data: Buffer;
  readonly last: boolean;
  /** The hash of the whole file, sent with the last part. */
  readonly sha256?: string | undefined;
}

/** An upload that has not grown for this long is abandoned: the gateway sends a part several times a minute. */
export const uploadTimeoutMs = 3 * 60_000;

/** Stores the parts of a file as they arrive. */
@Injectable()
export class UploadsRepository {
  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
  ) {}

  /** Creates the import with its first part. If it exists, the part is appended. @throws AppError 403 or 429 */
  async begin(part: FilePart, fields: NewImport): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.checkUnfinished(transaction, part);
      const created = await transaction.run(insertImport, part, fields);
      if (created > 0) await this.storePart(transaction, part, 0, part.data);
      else await this.appendPart(transaction, part);
    });
  }

  /** Parts have to arrive in order. @throws AppError 403, 404 or 409 */
  async append(part: FilePart): Promise<void> {
    await this.database.transaction((transaction) => this.appendPart(transaction, part));
  }

  /** Ends the upload, unless its sender starts again. */
  async abandon(tableId: string, id: string): Promise<void> {
    await this.database.contactImport.updateMany({
      where: { id, tableId, state: 'uploading' },
      data: { heardAt: new Date(Date.now() - uploadTimeoutMs) },
    });
  }

  /** Stores only the bytes that are new: a sender that starts again may cut the file into other parts. */
  private async appendPart(transaction: Statements, part: FilePart): Promise<void> {
    const { id, begins, data, last } = part;
    const end = begins + data.length;
    const [upload] = await transaction.run(lockUpload, part);
    if (!upload) throw noSuchImport();
    const stored = Number(upload.bytes);
    if (upload.uploading ? stored < begins || (last && stored > end) : stored < end) throw missingPart();
    if (!upload.uploading) {
      if (last && upload.sha256 !== null && upload.sha256 !== part.sha256) throw anotherFile();
      return;
    }
    await checkRepeated(transaction, part, data.subarray(0, stored - begins));
    const fresh = data.subarray(stored - begins);
    await transaction.run(extendUpload, id, fresh.length, part);
    if (fresh.length > 0) await this.storePart(transaction, part, stored, fresh);
  }

  /** Stores a part whose bytes are already counted in `contact_import`. */
  private async storePart(
    transaction: Statements,
    { id, tableId }: FilePart,
    begins: number,
    data: Buffer,
  ): Promise<void> {
    await this.quotas.requireCounted(transaction, tableId);
    await transaction.run(insertPart, id, begins, data);
  }

  /** Locks the table, so that concurrent uploads are counted one after the other. */
  private async checkUnfinished(transaction: Statements, { id, tableId }: FilePart): Promise<void> {
    await transaction.run(lockTable, tableId);
    const unfinished = await transaction.run(findUnfinished, tableId);
    if (unfinished.some((other) => other.id === id)) return;
    const max = await this.quotas.unfinishedImports(transaction, tableId);
    const uploads = unfinished.filter(({ uploading }) => uploading);
    if (unfinished.length - uploads.length >= max) throw tooManyImports(max);
    if (uploads.length >= max)
      throw tooManyUploads(max, Math.min(...uploads.map(({ secondsLeft }) => secondsLeft)));
  }
}

/** @throws AppError 422 unless the repeated bytes are those that are stored */
async function checkRepeated(transaction: Statements, part: FilePart, repeated: Buffer): Promise<void> {
  if (repeated.length === 0) return;
  const stored = await transaction.run(readParts, part.id, part.begins, repeated.length);
  const first = Number(stored[0]?.begins ?? part.begins);
  const known = Buffer.concat(stored.map(({ data }) => data)).subarray(part.begins - first);
  if (!known.subarray(0, repeated.length).equals(repeated)) throw anotherFile();
}

const uploadTimeout = sql`${uploadTimeoutMs}::float8 * interval '1 millisecond'`;

const stateAfter = (last: boolean) =>
  sql`CASE WHEN ${last} THEN 'queued' ELSE 'uploading' END::contact_transfer_state`;
const dueWhen = (last: boolean) => sql`CASE WHEN ${last} THEN ${dueNow} END`;

const insertImport = command(
  (
    { id, tableId, data, last, sha256 }: FilePart,
    { columns, upsertColumnId, end, delimiter, dateFormat, createdAt }: NewImport,
  ) => sql`
    INSERT INTO contact_import (id, table_id, delimiter, date_format, columns, upsert_column_id, bytes, taken, line,
      created_at, state, next_attempt_at, sha256)
    VALUES (${id}, ${tableId}, ${delimiter}, ${dateFormat}, ${columns}::uuid[], ${upsertColumnId ?? null}::uuid, ${data.length},
      ${end.bytes}, ${end.line}, ${createdAt}, ${stateAfter(last)}, ${dueWhen(last)}, ${sha256 ?? null})
    ON CONFLICT DO NOTHING`,
);

const lockUpload = statement(
  { bytes: t.bigint, uploading: t.bool, sha256: t.nullable(t.text) },
  ({ id, tableId }: FilePart) => sql`
    SELECT bytes, state = 'uploading' AS uploading, sha256 FROM contact_import
    WHERE id = ${id} AND table_id = ${tableId} FOR NO KEY UPDATE`,
);

const extendUpload = command(
  (id: string, bytes: number, { last, sha256 }: FilePart) => sql`
    UPDATE contact_import SET bytes = bytes + ${bytes}, heard_at = now(), state = ${stateAfter(last)},
      next_attempt_at = ${dueWhen(last)}, sha256 = ${sha256 ?? null}
    WHERE id = ${id}`,
);

const readParts = statement(
  { begins: t.bigint, data: t.bytes },
  (id: string, begins: number, length: number) => sql`
    SELECT begins, data FROM contact_import_part
    WHERE import_id = ${id} AND begins < ${begins}::bigint + ${length} AND begins + octet_length(data) > ${begins}
    ORDER BY begins`,
);

const insertPart = command(
  (id: string, begins: number, data: Buffer) =>
    sql`INSERT INTO contact_import_part (import_id, begins, data) VALUES (${id}, ${begins}, ${data})`,
);

/** `secondsLeft` until an upload is abandoned if nothing more arrives. */
const findUnfinished = statement(
  { id: t.uuid, uploading: t.bool, secondsLeft: t.float },
  (tableId: string) => sql`
    SELECT id, state = 'uploading' AS uploading,
      extract(epoch FROM heard_at + ${uploadTimeout} - now())::float8 AS "secondsLeft"
    FROM contact_import
    WHERE table_id = ${tableId} AND state IN ('uploading', 'queued', 'running')
      AND (state <> 'uploading' OR heard_at > now() - ${uploadTimeout})`,
);
