import { sql, type Statements } from '@gangan/database';
import { dueNow } from '../transfers/leases.js';
import type { Header } from './header.js';
import { missingPart, tooManyImports, tooManyUploads } from './imports.errors.js';

export interface NewImport extends Header {
  readonly delimiter: string;
  readonly createdAt: Date;
}

export interface Part {
  readonly id: string;
  readonly tableId: string;
  readonly begins: number;
  readonly data: Buffer;
  readonly last: boolean;
}

/** Per table: what waits fills the database. */
const mostWaiting = 10;
const mostUploads = 10;

/** A file that has not grown for so long does not any more: the gateway sends what it has several times a minute. */
export const uploadPatience = sql`interval '3 minutes'`;

/** Tells whether it did: an import that is there already stays as it is. */
export async function make(
  transaction: Statements,
  { id, tableId, data, last }: Part,
  { columns, upsertColumnId, end, delimiter, createdAt }: NewImport,
): Promise<boolean> {
  await makeRoom(transaction, tableId, id);
  const made = await transaction.execute(sql`
    INSERT INTO contact_import (id, table_id, delimiter, columns, upsert_column_id, bytes, taken, line, created_at,
      state, next_attempt_at)
    VALUES (${id}, ${tableId}, ${delimiter}, ${columns}::uuid[], ${upsertColumnId ?? null}::uuid, ${data.length},
      ${end.bytes}, ${end.line}, ${createdAt}, ${last ? 'queued' : 'uploading'}::contact_transfer_state,
      CASE WHEN ${last} THEN ${dueNow} END)
    ON CONFLICT DO NOTHING`);
  if (made > 0) await keep(transaction, id, 0, data);
  return made > 0;
}

/** Takes what is new of a part. Some of it may have come before, perhaps cut elsewhere: whoever sends again has other parts. */
export async function append(
  transaction: Statements,
  { id, tableId, begins, data, last }: Part,
): Promise<void> {
  const [file] = await transaction.query<{ bytes: bigint }>(sql`
    SELECT bytes FROM contact_import
    WHERE id = ${id} AND table_id = ${tableId} AND state = 'uploading' FOR NO KEY UPDATE`);
  if (!file) return;
  const [at, end] = [Number(file.bytes), begins + data.length];
  if (at < begins || (last && at > end)) throw missingPart();
  const fresh = data.subarray(at - begins);
  await transaction.execute(sql`
    UPDATE contact_import SET bytes = bytes + ${fresh.length}, heard_at = now(),
      state = ${last ? 'queued' : 'uploading'}::contact_transfer_state, next_attempt_at = CASE WHEN ${last} THEN ${dueNow} END
    WHERE id = ${id}`);
  await keep(transaction, id, at, fresh);
}

async function keep(transaction: Statements, id: string, begins: number, data: Buffer): Promise<void> {
  if (data.length === 0) return;
  await transaction.execute(
    sql`INSERT INTO contact_import_part (import_id, begins, data) VALUES (${id}, ${begins}, ${data})`,
  );
}

interface Unfinished {
  readonly id: string;
  readonly uploading: boolean;
  /** How long it is still waited for, if nothing more comes. */
  readonly patience: number;
}

/** Whoever else begins one of the same table waits meanwhile. @throws AppError 429 */
async function makeRoom(transaction: Statements, tableId: string, id: string): Promise<void> {
  await transaction.query(sql`SELECT id FROM contact_table WHERE id = ${tableId} FOR NO KEY UPDATE`);
  const unfinished = await transaction.query<Unfinished>(sql`
    SELECT id, state = 'uploading' AS uploading,
      extract(epoch FROM heard_at + ${uploadPatience} - now())::float8 AS patience
    FROM contact_import
    WHERE table_id = ${tableId} AND state IN ('uploading', 'queued', 'running')
      AND (state <> 'uploading' OR heard_at > now() - ${uploadPatience})`);
  if (unfinished.some((other) => other.id === id)) return;
  const uploads = unfinished.filter(({ uploading }) => uploading);
  if (unfinished.length - uploads.length >= mostWaiting) throw tooManyImports(mostWaiting);
  if (uploads.length >= mostUploads) {
    throw tooManyUploads(mostUploads, Math.min(...uploads.map(({ patience }) => patience)));
  }
}
