import { command, type Database, type Sql, sql, type SqlRunner, statement, t } from '@gangan/database';
import { isId, newId } from '@gangan/protocol';
import type { Access } from '../access.js';
import { audit } from '../audit.js';
import { Refusal } from '../refusal.js';
import { insertDnd, insertPorted, removeUnusedNumbers } from './numbers.js';
import type { Registry, RegistryEntry } from './registry-entry.js';

/** Another process has taken over or finished the import; this one must not change it. */
const lost = () => new Refusal('conflict', 'Another process imports this file, or has just finished it.');

export interface NewImport {
  readonly registry: Registry;
  readonly mode: 'merge' | 'replace';
  /** The name of the file. */
  readonly source: string;
  /** Of the file: identifies an interrupted import, even after the file is renamed. */
  readonly digest: Buffer;
}

const insertImport = command(
  (id: string, { registry, mode, source, digest }: NewImport) => sql`
    INSERT INTO registry_import (id, registry, mode, source, digest)
    VALUES (${id}, ${registry}::registry, ${mode}::registry_import_mode, ${source}, ${digest})
    ON CONFLICT (registry, mode, digest) WHERE state = 'loading' DO NOTHING`,
);

/** The interrupted import of the same file. */
const isSame = ({ registry, mode, digest }: NewImport): Sql => sql`
  registry = ${registry}::registry AND mode = ${mode}::registry_import_mode AND digest = ${digest} AND state = 'loading'`;

const failSame = command(
  (given: NewImport) => sql`
    UPDATE registry_import SET state = 'failed', ended_at = now() WHERE ${isSame(given)}`,
);

const findSame = statement(
  { id: t.uuid, lines: t.int, rejected: t.int },
  (given: NewImport) => sql`SELECT id, lines, rejected FROM registry_import WHERE ${isSame(given)}`,
);

/**
 * Starts an import, or finds the interrupted one of the same file, with the counts of its lines. Lookups ignore it until it is
 * activated. The import uses no Prisma models: it must run in little memory.
 */
export const openImport = (database: Database, given: NewImport, restart: boolean) =>
  database.transaction(async (transaction) => {
    if (restart) await transaction.run(failSame, given);
    await transaction.run(insertImport, newId(), given);
    const [opened] = await transaction.run(findSame, given);
    if (!opened) throw lost();
    return opened;
  });

const countLines = command(
  (id: string, after: number, lines: number, rejected: number) => sql`
    UPDATE registry_import SET lines = lines + ${lines}, rejected = rejected + ${rejected}
    WHERE id = ${id} AND state = 'loading' AND lines = ${after}`,
);

/**
 * Commits lines and their count together, so that an interrupted import continues at the right line. Of two processes
 * that import the same file, only one finds the count unchanged.
 * @param after how many lines the import had before
 */
export async function addLines(
  database: Database,
  registry: Registry,
  id: string,
  after: number,
  entries: readonly RegistryEntry[],
  rejected: number,
): Promise<void> {
  const latest = [...new Map(entries.map((entry) => [entry.phone, entry])).values()];
  await database.transaction(async (transaction) => {
    const counted = await transaction.run(countLines, id, after, entries.length + rejected, rejected);
    if (counted === 0) throw lost();
    await transaction.run(registry === 'dnd' ? insertDnd : insertPorted, id, latest);
  });
}

const lockRegistry = command(
  (registry: Registry) => sql`
    SELECT pg_advisory_xact_lock(hashtext('registry_import'), hashtext(${registry}::text))`,
);

const switchTo = command(
  (id: string) => sql`
    UPDATE registry_import AS i
    SET state = CASE WHEN i.id = fresh.id THEN 'active' ELSE 'superseded' END::registry_import_state,
        ended_at = CASE WHEN i.id = fresh.id THEN now() ELSE i.ended_at END
    FROM registry_import AS fresh
    WHERE fresh.id = ${id} AND fresh.state = 'loading'
      AND (i.id = fresh.id OR (fresh.mode = 'replace' AND i.registry = fresh.registry AND i.state = 'active'))`,
);

/**
 * Lookups switch to the new data in one statement. Imports of a registry are activated one after the other.
 * @param record called in the transaction
 */
export const activateImport = (
  database: Database,
  registry: Registry,
  id: string,
  record: (transaction: SqlRunner) => Promise<void>,
): Promise<void> =>
  database.transaction(async (transaction) => {
    await transaction.run(lockRegistry, registry);
    const changed = await transaction.run(switchTo, id);
    if (changed === 0) throw lost();
    await record(transaction);
  });

const endImport = statement(
  { registry: t.enumOf<Registry>('registry') },
  (id: string) => sql`
    UPDATE registry_import SET state = 'failed', ended_at = now()
    WHERE id = ${id} AND state = 'loading' RETURNING registry`,
);

/** Ends an unfinished import. Returns its registry, or `undefined` if there is none. */
export const failImport = async (database: SqlRunner, id: string): Promise<Registry | undefined> =>
  (await database.run(endImport, id))[0]?.registry;

/** Ends an interrupted import. Returns its registry. */
export async function discardImport({ database, principal }: Access, id: string): Promise<Registry> {
  const registry = await database.transaction(async (transaction) => {
    const found = isId(id) ? await failImport(transaction, id) : undefined;
    if (!found)
      throw new Refusal('not_found', `There is no unfinished import ${id}`, { next: 'list_imports' });
    await audit(transaction, principal, 'registry discard', { target: `${found} ${id}` });
    return found;
  });
  await removeUnusedNumbers(database, registry);
  return registry;
}

export async function listImports(database: Database) {
  const imports = await database.registryImport.findMany({ orderBy: { id: 'asc' } });
  return imports.map(({ id, registry, mode, state, source, lines, rejected, createdAt, endedAt }) => ({
    ...{ id, registry, mode, state, source, lines, rejected, begun: createdAt, ended: endedAt },
  }));
}
