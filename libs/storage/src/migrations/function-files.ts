import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type pg from 'pg';
import { prismaFolder } from '@gangan/database';

/** A file of `prisma/functions` or a folder in it, which has the name of its function. */
export interface FunctionFile {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex; the comment of the function, once the file is applied. */
  readonly checksum: string;
}

export async function readFunctions(): Promise<FunctionFile[]> {
  const folder = join(prismaFolder(), 'functions');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql'));
  const found = await Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      return { name: parse(file).name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Applies the files whose text has changed, in the transaction that is open, and returns their names. */
export async function applyFunctions(client: pg.Client, files: readonly FunctionFile[]): Promise<string[]> {
  // `SET search_path FROM CURRENT`: without `pg_temp` at the end, temporary tables would come first.
  // The bodies are checked when they run: files may call functions of later ones.
  await client.query(
    `SELECT set_config('search_path', format('%I, pg_temp', current_schema()), true),
       set_config('check_function_bodies', 'off', true)`,
  );
  const { rows } = await client.query<{ name: string; checksum: string | null }>(
    `SELECT proname AS name, obj_description(oid, 'pg_proc') AS checksum FROM pg_proc
     WHERE pronamespace = current_schema()::regnamespace`,
  );
  const changed = files.filter(({ name, checksum }) => {
    const stored = rows.filter((row) => row.name === name);
    return stored.length === 0 || stored.some((row) => row.checksum !== checksum);
  });
  for (const { name, sql, checksum } of changed) {
    await client.query(`
      ${sql};
      REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC;
      COMMENT ON FUNCTION ${name} IS '${checksum}'`);
  }
  return changed.map(({ name }) => name);
}
