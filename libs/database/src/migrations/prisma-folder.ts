import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TextFile {
  readonly path: string;
  readonly content: string;
}

const landmark = join('prisma', 'migrations', 'migration_lock.toml');

/** `prisma/` stands beside `libs/`, seen from source and from dist alike; in an image it may lie beside the process. */
function prismaFolder(): string {
  for (const start of [dirname(fileURLToPath(import.meta.url)), process.cwd()]) {
    for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
      if (existsSync(join(folder, landmark))) return join(folder, 'prisma');
    }
  }
  throw new Error(`No ${landmark} was found: run from the project's folder, or copy prisma/ beside libs/.`);
}

export const migrationsFolder = (): string => join(prismaFolder(), 'migrations');

/** In the order in which they are applied. */
export async function migrationNames(): Promise<string[]> {
  const entries = await readdir(migrationsFolder(), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export async function schemaFiles(): Promise<TextFile[]> {
  const folder = prismaFolder();
  const names = await readdir(join(folder, 'models'));
  const paths = [join(folder, 'schema.prisma'), ...names.sort().map((name) => join(folder, 'models', name))];
  return Promise.all(paths.map(async (path) => ({ path, content: await readFile(path, 'utf8') })));
}
