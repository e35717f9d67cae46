import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { driftOfMigrations } from './drift.js';

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write('pnpm db:diff <name>: the name must be in snake_case, such as message_tags\n');
  process.exitCode = 2;
} else {
  const drift = await driftOfMigrations();
  if (drift === '') process.stdout.write('The models and the migrations agree: there is nothing to write\n');
  else process.stdout.write(`Wrote ${await write(drift)}; read it before you commit it\n`);
}

async function write(script: string): Promise<string> {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join('prisma', 'migrations', `${stamp}_${name}`);
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  await mkdir(join(root, folder));
  await writeFile(join(root, folder, 'migration.sql'), `${script}\n`);
  return join(folder, 'migration.sql');
}
