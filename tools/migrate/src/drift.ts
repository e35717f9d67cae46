import { migrate, schemaDrift } from '@gangan/storage';
import { startPostgres } from '@gangan/testing';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// `pnpm db:check` compares the Prisma models with the migrations. `pnpm db:diff <name>` writes the missing migration.
const [command, name = ''] = process.argv.slice(2);
if (command === 'diff' && !/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write('pnpm db:diff <name>: the name must be in snake_case, such as message_tags\n');
  process.exit(2);
}
const drift = await driftOfMigrations();
if (drift === '') {
  process.stdout.write('The models and the migrations agree\n');
} else if (command === 'diff') {
  process.stdout.write(`Wrote ${await write(drift)}; read it before you commit it\n`);
} else {
  process.stderr.write(
    `The models differ from the migrations. Write a migration with \`pnpm db:diff <name>\`:\n\n${drift}\n`,
  );
  process.exitCode = 1;
}

/** The SQL by which the Prisma models differ from the migrations; applies the migrations to a new database first. */
async function driftOfMigrations(): Promise<string> {
  const postgres = await startPostgres();
  try {
    await migrate(postgres.url);
    return await schemaDrift(postgres.url);
  } finally {
    await postgres.stop();
  }
}

async function write(script: string): Promise<string> {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join('prisma', 'migrations', `${stamp}_${name}`);
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  await mkdir(join(root, folder));
  await writeFile(join(root, folder, 'migration.sql'), `${script}\n`);
  return join(folder, 'migration.sql');
}
