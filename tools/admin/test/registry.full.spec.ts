import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from '@gangan/database';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const lines = 500_000;
/** The command itself takes 38 MB, all lines of the file would take 20 more. */
const heapMegabytes = 44;

describe('pnpm admin registry import of a long file', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  let folder: string;
  beforeAll(async () => {
    folder = await fixture.folder();
  });

  it('needs little memory', async () => {
    const path = join(folder, 'long.csv');
    const phones = Array.from({ length: lines }, (_, n) => `+234803${String(1_000_000 + n)}`);
    await writeFile(path, phones.join('\n'));
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${heapMegabytes}`, script, 'registry', 'import', 'dnd', path],
      { env: { PATH: process.env['PATH'], DATABASE_URL: fixture.url }, stdio: 'ignore' },
    );
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(await fixture.database.query(sql`SELECT count(*)::int FROM dnd_number`)).toEqual([
      { count: lines },
    ]);
  });

  it('reports how many numbers of several old imports it has removed', async () => {
    for (const from of [1_000_000, 2_000_000]) {
      await fixture.database.execute(sql`
        WITH given_up AS (
          INSERT INTO registry_import (id, registry, mode, state, source)
          VALUES (uuidv7(), 'dnd', 'merge', 'failed', 'x') RETURNING id)
        INSERT INTO dnd_number SELECT '+234802' || n, id
        FROM given_up, generate_series(${from}::int, ${from}::int + 55000) n`);
    }
    const path = join(folder, 'few.csv');
    await writeFile(path, '08031234567\n');
    const { err } = await admin.run('registry', 'import', 'dnd', path);
    expect(err.match(/ old numbers are removed/g)).toHaveLength(1);
  });
});
