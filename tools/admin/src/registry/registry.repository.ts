import { type Database, sql, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Entry, Registry } from './registry-line.js';

export type ImportMode = 'merge' | 'replace';

/** Begins an import; look-ups do not see it until it is activated. */
export async function beginImport(
  database: Database,
  registry: Registry,
  mode: ImportMode,
  source: string,
): Promise<string> {
  const id = newId();
  await database.execute(sql`
    INSERT INTO registry_import (id, registry, mode, source) VALUES (${id}, ${registry}, ${mode}, ${source})`);
  return id;
}

/** Lines and their count are committed together, so that an import that was cut off knows where. */
export async function addLines(
  database: Database,
  importId: string,
  registry: Registry,
  entries: readonly Entry[],
  rejected: number,
): Promise<void> {
  const latest = [...new Map(entries.map((entry) => [entry.phone, entry])).values()];
  await database.transaction(async (transaction) => {
    if (registry === 'dnd') await addDnd(transaction, importId, latest);
    else await addPorted(transaction, importId, latest);
    await transaction.execute(sql`
      UPDATE registry_import SET lines = lines + ${entries.length + rejected}, rejected = rejected + ${rejected}
      WHERE id = ${importId}`);
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

/** One statement: look-ups answer from the old data before it, and from the new after it. */
export async function activate(database: Database, importId: string): Promise<void> {
  await database.execute(sql`
    UPDATE registry_import AS i
    SET state = CASE WHEN i.id = fresh.id THEN 'active' ELSE 'superseded' END::registry_import_state,
        ended_at = CASE WHEN i.id = fresh.id THEN now() ELSE i.ended_at END
    FROM registry_import AS fresh
    WHERE fresh.id = ${importId}
      AND (i.id = fresh.id OR (fresh.mode = 'replace' AND i.registry = fresh.registry AND i.state = 'active'))`);
}

export async function fail(database: Database, importId: string): Promise<void> {
  await database.execute(sql`
    UPDATE registry_import SET state = 'failed', ended_at = now() WHERE id = ${importId}`);
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
