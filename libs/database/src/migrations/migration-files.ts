import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * Converts rows while they are in use, so that `sql` has little left to do while it holds its locks. The statement runs
   * again and again, each time in a transaction of its own, until it inserts less than half of `rows`, its argument.
   */
  readonly portion?: { readonly sql: string; readonly rows: number };
  /** SHA-256 of the file in hex, as Prisma records it. */
  readonly checksum: string;
}

const portionRows = 10_000;
const landmark = join('prisma', 'migrations', 'migration_lock.toml');

/** `prisma/` is beside `libs/`, whether this runs from src or dist; in an image it may be beside the process. */
export function prismaFolder(): string {
  for (const start of [dirname(fileURLToPath(import.meta.url)), process.cwd()]) {
    for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
      if (existsSync(join(folder, landmark))) return join(folder, 'prisma');
    }
  }
  throw new Error(`${landmark} was not found: run from the project's folder, or copy prisma/ beside libs/.`);
}

/** Reads the migrations, in the order in which they are applied. */
export async function readMigrations(): Promise<Migration[]> {
  const folder = join(prismaFolder(), 'migrations');
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      const portionFile = join(folder, name, 'portion.sql');
      const portion = existsSync(portionFile) && {
        sql: await readFile(portionFile, 'utf8'),
        rows: portionRows,
      };
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name, sql, checksum, ...(portion && { portion }) };
    }),
  );
}
