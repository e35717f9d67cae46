import { type Database, sql, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Entry, Registry } from './registry-line.js';

export type ImportMode = 'merge' | 'replace';

const finishedByAnother = 'Another process is importing this file, or has just done so.';

/** The import belongs to somebody else now: it is not this process's to end. */
export class LostImport extends Error {}

export interface NewImport {
  readonly registry: Registry;
  readonly mode: ImportMode;
  readonly source: string;
  readonly digest: Buffer;
}

export interface OpenImport {
  readonly id: string;
  /** Taken by an earlier run that was cut off. */
  readonly lines: number;
  readonly rejected: number;
}

/** Begins an import, or finds the one of the same file that was cut off; look-ups see neither until it is activated. */
export async function openImport(
  database: Database,
  { registry, mode, source, digest }: NewImport,
  restart: boolean,
): Promise<OpenImport> {
  const same = sql`registry = ${registry}::registry AND mode = ${mode}::registry_import_mode AND digest = ${digest}
    AND state = 'loading'`;
  return database.transaction(async (transaction) => {
    if (restart) {
      await transaction.execute(sql`
        UPDATE registry_import SET state = 'failed', ended_at = now() WHERE ${same}`);
    }
    await transaction.execute(sql`
      INSERT INTO registry_import (id, registry, mode, source, digest)
      VALUES (${newId()}, ${registry}::registry, ${mode}::registry_import_mode, ${source}, ${digest})
      ON CONFLICT (registry, mode, digest) WHERE state = 'loading' DO NOTHING`);
    const [opened] = await transaction.query<OpenImport>(sql`
      SELECT id, lines, rejected FROM registry_import WHERE ${same}`);
    if (!opened) throw new LostImport(finishedByAnother);
    return opened;
  });
}

export interface LineBatch {
  readonly id: string;
  readonly registry: Registry;
  /** How many lines the import had before. */
  readonly after: number;
  readonly entries: readonly Entry[];
  readonly rejected: number;
}

/**
 * Lines and their count are committed together, so that an import that was cut off knows where. Of two processes that
 * import the same file only one finds the count as it left it.
 */
export async function addLines(database: Database, batch: LineBatch): Promise<void> {
  const { id, registry, after, entries, rejected } = batch;
  const latest = [...new Map(entries.map((entry) => [entry.phone, entry])).values()];
  await database.transaction(async (transaction) => {
    const counted = await transaction.execute(sql`
      UPDATE registry_import
      SET lines = lines + ${entries.length + rejected}, rejected = rejected + ${rejected}
      WHERE id = ${id} AND state = 'loading' AND lines = ${after}`);
    if (counted === 0) throw new LostImport(finishedByAnother);
    if (registry === 'dnd') await addDnd(transaction, id, latest);
    else await addPorted(transaction, id, latest);
  });
}

async function addDnd(transaction: Statements, importId: string, entries: readonly Entry[]): Promise<void> {
  await transaction.execute(sql`
    INSERT INTO dnd_number (phone, import_id)
    SELECT phone, ${importId} FROM unnest(${entries.map(({ phone }) => phone)}::text[]) AS given (phone)
    ON CONFLICT DO NOTHING`);
}

/** Of several lines about one number the last is right. */
async function addPorted(
  transaction: Statements,
  importId: string,
  entries: readonly Entry[],
): Promise<void> {
  await transaction.execute(sql`
    INSERT INTO ported_number (phone, operator, import_id)
    SELECT phone, operator, ${importId}
    FROM unnest(${entries.map(({ phone }) => phone)}::text[], ${entries.map(({ operator = '' }) => operator)}::text[])
      AS given (phone, operator)
    ON CONFLICT (phone, import_id) DO UPDATE SET operator = excluded.operator`);
}

/**
 * One statement: look-ups answer from the old data before it, and from the new after it. Imports of one registry end
 * one after the other: each sees what the one before it has made active.
 */
export async function activate(database: Database, registry: Registry, importId: string): Promise<void> {
  const changed = await database.transaction(async (transaction) => {
    await transaction.query(
      sql`SELECT pg_advisory_xact_lock(hashtext('registry_import'), hashtext(${registry}::text)) IS NULL AS locked`,
    );
    return transaction.execute(sql`
      UPDATE registry_import AS i
      SET state = CASE WHEN i.id = fresh.id THEN 'active' ELSE 'superseded' END::registry_import_state,
          ended_at = CASE WHEN i.id = fresh.id THEN now() ELSE i.ended_at END
      FROM registry_import AS fresh
      WHERE fresh.id = ${importId} AND fresh.state = 'loading'
        AND (i.id = fresh.id OR (fresh.mode = 'replace' AND i.registry = fresh.registry AND i.state = 'active'))`);
  });
  if (changed === 0) throw new LostImport(finishedByAnother);
}

/** Gives the registry of an import that was not finished, which from now on cannot be. */
export async function fail(database: Database, importId: string): Promise<Registry | undefined> {
  const [failed] = await database.query<{ registry: Registry }>(sql`
    UPDATE registry_import SET state = 'failed', ended_at = now()
    WHERE id = ${importId} AND state = 'loading' RETURNING registry`);
  return failed?.registry;
}

export async function respectDnd(database: Database, organisationId: string, isOn: boolean): Promise<void> {
  await database.execute(sql`
    UPDATE organisation SET updated_at = now(), settings = jsonb_set(settings, '{sms}',
      coalesce(settings -> 'sms', '{}'::jsonb) || jsonb_build_object('respect_dnd', ${isOn}::boolean))
    WHERE id = ${organisationId}`);
}

export interface ImportRow {
  readonly id: string;
  readonly registry: Registry;
  readonly mode: ImportMode;
  readonly state: string;
  readonly source: string;
  readonly lines: number;
  readonly rejected: number;
  readonly begun: Date;
  readonly ended: Date | null;
}

export const listImports = (database: Database): Promise<ImportRow[]> =>
  database.query(sql`
    SELECT id, registry, mode, state, source, lines, rejected, created_at AS begun, ended_at AS ended
    FROM registry_import ORDER BY id`);
